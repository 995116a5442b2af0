"""Which method wins overall?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page, tournament

page.open_page()
tournament.live()
