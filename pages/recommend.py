"""Which method, and how many landmarks?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page, recommend
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page()
recommend.live(shared_sidebar())
