"""What the Nyström method is, in one living picture, and the doors to everything else."""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import page
from nysviz.ui.home import doors as home_doors
from nysviz.ui.home import picture as home

page.open_page("Can a few landmarks stand in for a whole kernel matrix?")
with page.sentences():
    home.living_picture()
home_doors.trials()
home_doors.doors()
