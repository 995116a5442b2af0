"""How fast do the eigenvalues fall?"""

from nysviz.ui import page, spectrum
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("spectrum")
spectrum.live(shared_sidebar())
