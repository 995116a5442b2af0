"""Questions of the mathematics: one function each, whose result holds the answer.

What a page of the laboratory shows is one call here; ``result.answer``, ``result.table``, ``result.figures``.
"""

from nysviz.studies.bounds import bounds
from nysviz.studies.claims import claims
from nysviz.studies.gaussian_process import gaussian_process
from nysviz.studies.kernel_pca import kernel_pca
from nysviz.studies.linear_system import linear_system
from nysviz.studies.playground import playground
from nysviz.studies.relative_bounds import relative_bounds
