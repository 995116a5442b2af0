"""What bandwidth and m suit my data?"""

from nysviz.ui import page
from nysviz.ui.data import cards, one_set
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("data")
chosen = shared_sidebar()
one_set.show(chosen)
cards.draw_all(chosen)
