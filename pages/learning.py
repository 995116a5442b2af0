"""Does the prediction survive?"""

from nysviz.ui import learning, page
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("learning")
learning.show(shared_sidebar())
