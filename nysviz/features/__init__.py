"""Feature maps as scikit-learn transformers: from landmarks, and from random frequencies.

Importing this package imports scikit-learn, which is slow; ``nysviz`` does so only when asked for them.
"""

from nysviz.features.fourier import FourierFeatures
from nysviz.features.nystroem import NystroemFeatures
