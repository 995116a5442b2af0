"""Which method, and how many landmarks?"""

from nysviz.ui import page, recommend
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("recommend")
recommend.live(shared_sidebar())
