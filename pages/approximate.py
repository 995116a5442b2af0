"""How good is this approximation, and where?"""

from nysviz.ui import approximate, page
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("approximate")
approximate.live(shared_sidebar())
