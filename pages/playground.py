"""Where should a landmark go?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page, playground
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page()
playground.live(shared_sidebar(with_kernel=False))
