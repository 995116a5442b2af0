"""Photographs: sizes, own files, and one sentence for what is none."""

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from nysviz.datasets.photographs import PIXELS, load_photograph, read_photograph


def written(image, kind="PNG", **more):
    file = io.BytesIO()
    image.save(file, kind, **more)
    return file.getvalue()


def picture(width=40, height=30, mode="RGB"):
    colours = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(colours).convert(mode)


def header_of(width, height):
    """Return the beginning of a PNG file of this size, without its pixels."""
    content = b"IHDR" + struct.pack(">II5B", width, height, 1, 0, 0, 0, 0)
    chunk = struct.pack(">I", 13) + content + struct.pack(">I", zlib.crc32(content))
    return b"\x89PNG\r\n\x1a\n" + chunk + struct.pack(">I", 5) + b"IDATx\x9c"


@pytest.mark.parametrize("name", ["china", "flower"])
def test_the_photographs_that_everybody_has_are_a_quarter_of_their_size(name):
    assert load_photograph(name).pixels.shape == (107, 160, 3)


def test_a_row_is_the_colour_and_the_place_of_a_pixel():
    photograph = read_photograph(written(picture()), "mine.png")
    data = photograph.rows(0.5)
    assert (data.n, data.d) == (1200, 5)
    row, column = 17, 33
    expected = [*photograph.pixels[row, column] / 255.0, 0.5 * row / 40, 0.5 * column / 40]
    np.testing.assert_allclose(data.X[row * 40 + column], expected)


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA", "1", "CMYK"])
def test_every_kind_of_pixels_is_read(mode):
    kind = "JPEG" if mode == "CMYK" else "PNG"
    assert read_photograph(written(picture(mode=mode), kind), "mine").pixels.shape == (30, 40, 3)


def test_what_is_transparent_is_white():
    clear = Image.new("RGBA", (20, 20), (200, 0, 0, 0))
    assert (read_photograph(written(clear), "mine.png").pixels == 255).all()


def test_a_camera_held_upright_has_an_upright_picture():
    exif = Image.Exif()
    exif[274] = 6  # turned by a quarter
    assert read_photograph(written(picture(), "JPEG", exif=exif), "a.jpg").pixels.shape == (40, 30, 3)


@pytest.mark.parametrize("size", [(1600, 1200), (4000, 20), (3999, 3000)])
def test_a_large_picture_is_scaled_down(size):
    content = written(Image.new("RGB", size, (10, 200, 30)), "JPEG")
    pixels = read_photograph(content, "mine.jpg").pixels
    height, width, _ = pixels.shape
    assert 0.8 * PIXELS < height * width < 1.2 * PIXELS
    assert width / height == pytest.approx(size[0] / size[1], rel=0.2)
    assert np.abs(pixels.astype(int) - (10, 200, 30)).max() < 4


@pytest.mark.parametrize(
    "content, match",
    [
        (b"", "cannot be read as a PNG or JPEG"),
        (b"a,b\n1,2\n", "cannot be read as a PNG or JPEG"),
        (written(picture())[:900], "cannot be read as a PNG or JPEG"),
        (written(picture(), "GIF"), "cannot be read as a PNG or JPEG"),
        (written(Image.new("1", (4000, 3001))), "4000 × 3001 pixels, and 12 million are the most"),
        (header_of(60_000, 60_000), "more than 12 million pixels|12 million are the most"),
        (written(picture(7, 9)), "7 × 9 pixels, and 64 are the least"),
    ],
    ids=range(7),
)
def test_what_is_no_picture_is_one_sentence(content, match):
    with pytest.raises(ValueError, match=match) as problem:
        read_photograph(content, "mine.png")
    assert str(problem.value).endswith(".") and "\n" not in str(problem.value)


def test_a_name_that_is_none_says_what_is_needed(tmp_path):
    with pytest.raises(ValueError, match="'china' or 'flower', or the path of a PNG or JPEG file"):
        load_photograph(str(tmp_path / "none.png"))
    (tmp_path / "mine.png").write_bytes(written(picture()))
    assert load_photograph(str(tmp_path / "mine.png")).title == "mine.png"
