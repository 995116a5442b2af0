"""Where should a landmark go?"""

from nysviz.ui import page, playground

page.open_page("playground")
playground.live()
