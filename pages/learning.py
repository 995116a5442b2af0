"""Does the prediction survive?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.inputs import segments
from nysviz.ui.learning import features, ls_svm
from nysviz.ui.sidebar.scene import shared_sidebar

VIEWS = {"Classifier (LS-SVM)": ls_svm, "Random features": features}

page.open_page()
scene = shared_sidebar()
VIEWS[segments("View", VIEWS, "learning_view", label_visibility="collapsed")].view(scene)
