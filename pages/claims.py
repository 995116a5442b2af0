"""Which of the papers' claims hold?"""

from nysviz.ui import claims, page

page.open_page("claims")
claims.live()
