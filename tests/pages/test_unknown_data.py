"""A link to data that are not here says so, until other data are chosen."""

from tests.pages.driving import settle, start

SENTENCE = (
    'The link asks for the data set "German <b>credit</b> of nowhere", which is not here; shown: '
    "Handwritten digits, 8 × 8."
)


def warned(at):
    return [one.value for one in at.warning if "The link" in one.value]


def test_a_link_to_unknown_data_says_so_until_others_are_chosen():
    at = start(data="German <b>credit</b> of nowhere", ratio="10 %")
    (sentence,) = warned(at)
    assert sentence.replace("\\", "") == SENTENCE
    (box,) = [one for one in at.selectbox if one.label == "Data set"]
    assert box.value == "digits"
    settle(at)
    assert len(warned(at)) == 1
    (box,) = [one for one in at.selectbox if one.label == "Data set"]
    box.set_value("iris")
    settle(at)
    assert not warned(at)
    assert not at.exception


def test_a_link_to_known_data_says_nothing():
    assert not warned(start(data="Iris flowers"))
