"""Questions of the mathematics: one function each, whose result holds the answer.

What a page of the app shows is one call here; ``result.answer``, ``result.table``, ``result.figures``.
"""

from nysviz.studies.accuracy import accuracy
from nysviz.studies.approximate import approximate
from nysviz.studies.bounds import bounds
from nysviz.studies.claims import claims
from nysviz.studies.classifier import classifier
from nysviz.studies.clusters import clusters
from nysviz.studies.compare import compare
from nysviz.studies.data import data
from nysviz.studies.findings import findings
from nysviz.studies.gaussian_process import gaussian_process
from nysviz.studies.kernel_pca import kernel_pca
from nysviz.studies.lift import lift
from nysviz.studies.linear_system import linear_system
from nysviz.studies.photograph import photograph
from nysviz.studies.playground import playground
from nysviz.studies.quantization import quantization
from nysviz.studies.random_features import random_features
from nysviz.studies.recommend import recommend
from nysviz.studies.relative_bounds import relative_bounds
from nysviz.studies.spectrum import spectrum
from nysviz.studies.steps import steps
from nysviz.studies.tournament import tournament
from nysviz.studies.two_balls import two_balls
