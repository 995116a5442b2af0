"""What the Nyström method is, in one living picture, and the doors to everything else."""

import nysviz.ui.first  # noqa: F401
from nysviz.ui import home, page
from nysviz.ui.asking import sentences

page.open_page()
with sentences():
    home.living_picture()
home.trials()
home.doors()
