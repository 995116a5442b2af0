"""When do data-dependent bases win?"""

from nysviz.ui import page, two_balls

page.open_page("two_balls")
two_balls.live(two_balls.own_sidebar())
