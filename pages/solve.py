"""What does the approximation buy?"""

from nysviz.ui import page
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar
from nysviz.ui.solve import process, system

VIEWS = {"Linear system": system, "Gaussian process": process}

page.open_page()
scene = shared_sidebar()
VIEWS[segments("View", VIEWS, "solve_view", label_visibility="collapsed")].view(scene)
