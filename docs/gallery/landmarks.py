"""Where the landmarks are, and what they leave"""

import nysviz as nv

data = nv.load("digits")
kernel = nv.Gaussian.from_width(nv.default_width(data.X))
a = nv.approximate(data.X, kernel, method="kmeans", m=90, seed=0)
figure = nv.plot.landmarks(data, a)
