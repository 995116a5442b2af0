"""Where should a landmark go?"""

from nysviz.ui import page, playground
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("playground")
playground.live(shared_sidebar(with_kernel=False))
