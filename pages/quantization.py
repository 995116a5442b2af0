"""Does a good encoding make a good approximation?"""

from nysviz.ui import page, quantization
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("quantization")
quantization.live(shared_sidebar())
