"""Who wins when all are put against each other?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page, tournament
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("Who wins when all are put against each other?")
tournament.live(shared_sidebar("For “Run again here”, with the Gaussian kernel."))
