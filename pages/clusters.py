"""Does the grouping survive?"""

from nysviz.ui import clusters, page
from nysviz.ui.inputs import segments
from nysviz.ui.sidebar.scene import shared_sidebar

page.open_page("clusters")
VIEWS = ["Data set", "Photograph"]
if segments("View", VIEWS, "clusters_view", label_visibility="collapsed") == "Photograph":
    clusters.photograph(*clusters.own_sidebar())
else:
    clusters.data_set(shared_sidebar())
