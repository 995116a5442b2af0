"""What is guaranteed, and how loosely?"""

from nysviz.ui import page
from nysviz.ui.bounds import relative, zhang
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar

VIEWS = {"Zhang: quantization error": zhang, "Oglic, Li: best rank k": relative}

page.open_page()
scene = shared_sidebar()
VIEWS[segments("Guarantee", VIEWS, "bounds_view", label_visibility="collapsed")].view(scene)
