"""What the Nyström method is, in one living picture, and the doors to everything else."""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import home, page

page.open_page("Can a few landmarks stand in for a whole kernel matrix?")
with page.sentences():
    home.living_picture()
home.trials()
home.doors()
