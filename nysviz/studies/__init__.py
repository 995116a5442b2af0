"""Questions of the mathematics: one function each, whose result holds the answer.

What a page of the laboratory shows is one call here; ``result.answer``, ``result.table``, ``result.figures``.
"""

from nysviz.studies.classifier import classifier
from nysviz.studies.data import data
from nysviz.studies.kernel_pca import kernel_pca
from nysviz.studies.random_features import random_features
