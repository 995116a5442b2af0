"""What does a clever choice gain?"""

from nysviz.ui import lift, page
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("lift")
lift.live(shared_sidebar(with_kernel=False))
