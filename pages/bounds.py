"""What is guaranteed, and how loosely?"""

from nysviz.ui import bounds, page
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar

VIEWS = {"Zhang: quantization error": bounds.zhang, "Oglic, Li: best rank k": bounds.relative}

page.open_page("bounds")
scene = shared_sidebar()
VIEWS[segments("Guarantee", VIEWS, "bounds_view", label_visibility="collapsed")](scene)
