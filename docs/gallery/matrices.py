"""K beside K̃"""

import nysviz as nv

data = nv.load("digits")
kernel = nv.Gaussian.from_width(nv.default_width(data.X))
a = nv.approximate(data.X, kernel, method="rpcholesky", m=90, seed=0)
figure = nv.plot.matrices(data, a)
