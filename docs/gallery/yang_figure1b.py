"""The eigenvalues of two balls, as in Yang et al. 2012, figure 1b"""

import nysviz as nv

data = nv.two_balls(n=2000)
kernel = nv.Gaussian.from_width(nv.default_width(data.X))
a = nv.approximate(data.X, kernel, method="uniform", m=100, seed=0)
figure = nv.plot.spectrum(nv.spectrum(data.X, kernel), a)
