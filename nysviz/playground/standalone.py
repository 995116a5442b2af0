"""The canvas: HTML, CSS and JavaScript for the page, and all as one HTML file without a server."""

from importlib.resources import files

from nysviz.playground.drawing import first

FOLDER = files("nysviz.playground") / "js"
# In the order in which they are joined: a module stands behind those that it imports.
MODULES = ("kernels", "nystrom", "algorithms", "state", "improve", "canvas", "hand", "panel", "main")
HTML = (FOLDER / "playground.html").read_text(encoding="utf-8")
CSS = (FOLDER / "playground.css").read_text(encoding="utf-8")
# What Streamlit defines for its components.
ALONE = """
:root {--st-text-color: #1A1A1A; --st-background-color: #FFFFFF; --st-border-color: #D9D9D9;
  --st-primary-color: #0072B2; --st-font: system-ui, sans-serif; color-scheme: light dark; font-size: 17px;}
@media (prefers-color-scheme: dark) {:root {--st-text-color: #F2F2F2; --st-background-color: #121212;
  --st-border-color: #3A3F47; --st-primary-color: #56B4E9;}}
body {margin: 0; padding: 1.2rem; background: var(--st-background-color); color: var(--st-text-color);
  font: 1rem/1.4 var(--st-font);}
h1 {font-size: 1.6rem; font-weight: 600; margin: 0 auto 1rem; max-width: 70rem;}
.playground {max-width: 70rem; margin: 0 auto;}
"""


def bundle() -> str:
    """Return the text of one ES module that holds all modules, without imports and exports.

    Imports are lines of their own in these modules, and no name is defined at the top of two of them.
    """
    texts = [(FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in MODULES]
    lines = [line for text in texts for line in text.splitlines() if not line.startswith("import ")]
    return "\n".join(line.removeprefix("export ") for line in lines) + "\n"


def standalone(text: str = "") -> str:
    """Return an HTML file with a drawing, the first one where no text is given, that needs no network."""
    # The text of a drawing has no quotes and no angle brackets.
    start = text or first().text
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline';
  style-src 'unsafe-inline'; img-src data: blob:">
<title>Where should a landmark go?</title>
<style>{ALONE}{CSS}</style>
</head>
<body>
<h1>Where should a landmark go?</h1>
{HTML}
<script type="module">
{bundle()}
mount(document.querySelector('.playground'), {{start: '{start}'}});
</script>
</body>
</html>
"""
