"""Does choosing landmarks help, and when?"""

from nysviz.ui import findings, page

page.open_page("findings")
findings.live()
