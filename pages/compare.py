"""Which method for which number of landmarks, or for which budget?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.compare import rank, view
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar

VIEWS = {"Error": view.live, "Relative accuracy at rank d": rank.view}

page.open_page()
scene = shared_sidebar()
VIEWS[segments("What is compared", VIEWS, "compare_what", label_visibility="collapsed")](scene)
