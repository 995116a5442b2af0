"""Which of the papers' claims hold?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import claims, page

page.open_page()
claims.live()
