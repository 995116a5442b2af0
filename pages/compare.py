"""Which method for which m, rank or budget?"""

from nysviz.ui import compare, page
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar

VIEWS = {"Error": compare.comparison, "Accuracy at rank d": compare.accuracy}

page.open_page("compare")
scene = shared_sidebar()
VIEWS[segments("What is compared", VIEWS, "compare_what", label_visibility="collapsed")](scene)
