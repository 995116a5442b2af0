"""What does a clever choice gain?"""

from nysviz.ui import page
from nysviz.ui.lift import view
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page()
view.live(shared_sidebar(with_kernel=False))
