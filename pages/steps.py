"""How does the algorithm choose?"""

from nysviz.ui import page, steps
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("steps")
steps.live(shared_sidebar())
