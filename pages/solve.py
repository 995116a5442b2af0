"""What does the approximation buy?"""

from nysviz.ui import page, solve
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar

VIEWS = {"Linear system": solve.linear_system, "Gaussian process": solve.gaussian_process}

page.open_page("solve")
scene = shared_sidebar()
VIEWS[segments("View", VIEWS, "solve_view", label_visibility="collapsed")](scene)
