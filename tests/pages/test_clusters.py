"""The page Clusters: its numbers are the study's, and a picture of one's own stays in its session."""

import io
import json

import numpy as np
import pytest
from PIL import Image

import nysviz as nv
from nysviz.engine.shared import engine
from nysviz.ui.clusters import PHOTOGRAPH
from tests.pages.driving import (
    IRIS,
    KERNEL,
    answer,
    charts,
    code_of,
    opened,
    settle,
    settled,
    table,
    unopened,
)
from tests.pages.test_two_visitors import shared_text

PHOTOGRAPHS = {"clusters_view": "Photograph"}


def picture(seed=0, size=(24, 18)):
    colours = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(colours).save(file, "PNG")
    return file.getvalue()


def sent(content, name="quokka.png"):
    at = settle(unopened("clusters", {**PHOTOGRAPHS, "clusters_picture": "Your own picture"}))
    at.file_uploader(key="own_picture").set_value((name, content, "image/png"))
    return settle(at)


def test_first_screen():
    at = opened("clusters", clusters_methods=["uniform sampling"], seed="3")
    study = nv.studies.clusters(IRIS, KERNEL, methods=["uniform"], seed=3)
    assert answer(at, "3 groups") == study.answer.replace(" = ", "\u00a0=\u00a0")
    assert set(charts(at)) == {"map", "eigenvalues", "agreement"}
    shown = table(at)
    index = study.agreements["classes"]["rand"]
    assert float(shown["adjusted Rand index, classes"][0]) == pytest.approx(index, abs=5e-3)
    assert float(shown["adjusted Rand index, exact groups"][1]) == 1.0


def test_a_photograph():
    at = opened("clusters", **PHOTOGRAPHS)
    assert set(charts(at)) == {"picture", "parts_picture", "eigenvalues"}
    assert answer(at, "80 landmarks split") == nv.studies.photograph().answer
    # The data and the kernel of other pages have no controls here.
    assert [box.key for box in at.sidebar.selectbox] == ["clusters_picture"]


def test_a_picture_of_ones_own():
    at = sent(picture())
    assert not at.error and "24 × 18" in charts(at)["picture"]["layout"]["title"]["text"]
    assert "image='quokka.png'" in code_of(at)
    # The page may be left and come back to: the picture stays, until it is forgotten.
    assert at.session_state[PHOTOGRAPH].pixels.shape == (18, 24, 3)
    at.button(key="own_picture_forget").click()
    assert "Temple in China" in json.dumps(charts(settled(at))["picture"]["layout"])
    assert PHOTOGRAPH not in at.session_state


@pytest.mark.parametrize("content", [b"no picture", picture()[:400], picture(size=(3, 3))])
def test_a_bad_picture_is_one_sentence_and_the_page_goes_on(content):
    at = sent(content)
    (problem,) = at.error
    assert problem.value.endswith(".") and "Temple" in charts(at)["picture"]["layout"]["title"]["text"]


def test_no_other_session_has_ones_picture():
    at = sent(picture(7), "numbatphoto.png")
    assert "numbatphoto" in json.dumps(charts(at)["picture"]["layout"]["title"])
    assert "numbatphoto" not in shared_text()
    assert "numbatphoto" not in json.dumps(list(map(str, at.query_params.values())))
    other = settle(unopened("clusters", {**PHOTOGRAPHS, "clusters_picture": "Your own picture"}))
    assert PHOTOGRAPH not in other.session_state
    assert "numbatphoto" not in json.dumps(charts(other)["picture"]["layout"])
    assert engine().results
