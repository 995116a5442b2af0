"""What the Nyström method is, in one living picture, and the doors to everything else."""

from nysviz.ui import home, page
from nysviz.ui.asking import sentences

page.open_page("home")
with sentences():
    home.living_picture()
home.trials()
home.doors()
