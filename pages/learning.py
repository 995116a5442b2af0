"""Does the prediction survive?"""

from nysviz.ui import page
from nysviz.ui.learning import views
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page()
views.show(shared_sidebar())
