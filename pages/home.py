"""What the Nyström method is, in one living picture, and the doors to everything else."""

from nysviz.ui import address, home, page
from nysviz.ui.asking import sentences

page.open_page()
with sentences():
    home.living_picture()
# A page that runs alone knows no other.
if len(address.page_names()) > 1:
    home.trials()
    home.doors()
