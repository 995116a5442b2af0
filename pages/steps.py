"""How does the algorithm choose?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page, steps
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page()
steps.live(shared_sidebar())
