"""Does the embedding survive?"""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import kernel_pca, page
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page()
kernel_pca.live(shared_sidebar())
