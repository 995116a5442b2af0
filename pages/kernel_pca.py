"""Does the embedding survive?"""

from nysviz.ui import kernel_pca, page
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("kernel_pca")
kernel_pca.live(shared_sidebar())
