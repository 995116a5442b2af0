"""What do I have, and what bandwidth and m suit it?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.data import cards, one_set
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page()
chosen = shared_sidebar()
one_set.show(chosen)
cards.draw_all(chosen)
