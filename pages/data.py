"""What do I have, and what bandwidth and m suit it?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.data import all_sets, one_set
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("What do I have, and what bandwidth and m suit it?")
one_set.show(shared_sidebar())
all_sets.draw()
