"""Which method for which m, rank or budget?"""

from nysviz.ui import page
from nysviz.ui.compare import rank, view
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar

VIEWS = {"Error": view.live, "Accuracy at rank d": rank.view}

page.open_page()
scene = shared_sidebar()
VIEWS[segments("What is compared", VIEWS, "compare_what", label_visibility="collapsed")](scene)
