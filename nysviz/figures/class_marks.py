"""How classes are told apart: a colour and a symbol for each."""

from nysviz.figures.look import Theme

# Paul Tol's "muted" set and a grey, for the light and the dark ground: told apart with any colour vision, and
# none of them the colour of a method.
CLASS_HUES = (
    ("#332288", "#9A8CFF"),
    ("#88CCEE", "#88CCEE"),
    ("#44AA99", "#44AA99"),
    ("#117733", "#4CC76E"),
    ("#999933", "#B5B54A"),
    ("#DDCC77", "#DDCC77"),
    ("#CC6677", "#E58594"),
    ("#882255", "#D4609A"),
    ("#AA4499", "#CF6FC0"),
    ("#7A7A7A", "#C8C8C8"),
)
CLASS_SYMBOLS = ("circle", "diamond", "square", "cross", "x")


def class_hue(code: int, theme: Theme) -> str:
    """Return the colour of a class; from the eleventh on they come again with another symbol."""
    light, dark = CLASS_HUES[code % len(CLASS_HUES)]
    return dark if theme.dark else light


def class_symbol(code: int) -> str:
    """Return the symbol of a class."""
    return CLASS_SYMBOLS[code // len(CLASS_HUES) % len(CLASS_SYMBOLS)]
