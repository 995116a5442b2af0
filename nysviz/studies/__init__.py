"""Questions of the mathematics: one function each, whose result holds the answer.

What a page of the laboratory shows is one call here; ``result.answer``, ``result.table``, ``result.figures``.
"""

from nysviz.studies.accuracy import accuracy
from nysviz.studies.compare import compare
from nysviz.studies.kernel_pca import kernel_pca
from nysviz.studies.recommend import recommend
from nysviz.studies.tournament import tournament
