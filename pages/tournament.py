"""Which method wins overall?"""

from nysviz.ui import page, tournament

page.open_page("tournament")
tournament.live()
