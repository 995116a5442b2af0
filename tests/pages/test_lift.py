"""The page Lift: its two rounds of repeats, its view of seconds, and what it says of the kernel."""

import nysviz as nv
from nysviz.papers.oglic2017.lift import SCHEMES
from nysviz.studies.lift_records import label_of
from nysviz.ui.lift import VIEWS
from tests.pages.driving import IRIS, KERNEL, answer, charts, lines, settled, table, unopened

FEW = ("kmeanspp", "greedy", "svd")


def opened(schemes=FEW, **link):
    methods = [SCHEMES[name].label for name in schemes]
    return settled(unopened("lift", {"lift_repeats": "6", "lift_methods": methods, **link}))


def test_some_methods_have_more_repeats_which_are_drawn_in_the_same_chart():
    schemes = ("kmeanspp", "kmeanspp_lloyd", "leverage_approx", "greedy", "svd")
    at = opened(schemes, lift_repeats="auto")
    assert set(charts(at)) == {"lift", "errors"}
    drawn = lines(at, "lift")
    assert set(drawn) == {label_of(name) for name in schemes}
    runs = {name: {text.rsplit(", ", 1)[1] for text in drawn[label_of(name)]["text"]} for name in schemes}
    assert {"3 runs"} in runs.values() and {"10 runs"} in runs.values()
    assert "Largest lift" in answer(at, "Largest lift") and len(table(at)) == 1 + len(schemes)


def test_seconds_are_taken_three_times_whatever_the_other_views_repeat():
    at = opened(("kmeanspp", "greedy"), lift_view=VIEWS["seconds"], lift_repeats="1")
    assert "median of 3 repeats" in charts(at)["lift"]["layout"]["title"]["subtitle"]["text"]
    assert set(charts(at)) == {"lift"}
    assert not [box for box in at.selectbox if box.key == "lift_repeats"]
    at.selectbox(key="lift_view").set_value("bandwidth")
    assert settled(at).selectbox(key="lift_repeats").value == 1


def test_a_kernel_that_the_page_does_not_use_is_named_with_the_one_that_it_does():
    assert not opened().info
    for label in ("linear", "Laplacian"):
        (said,) = opened(kernel=label).info
        assert f"not the {label} kernel" in said.value and "Gaussian kernel of your points" in said.value
    K = ",".join(f"c{i}" for i in range(20)).encode() + b"\n"
    K += "\n".join(",".join(map(repr, row)) for row in KERNEL(IRIS.X[:20]).tolist()).encode()
    at = unopened("lift", {"lift_repeats": "1"}, nv.parse(K, "K.csv", False, similarities="given"))
    at.session_state["own_options"], at.query_params["kernel"] = {"similarities": "given"}, "linear"
    (said,) = settled(at).info
    assert "the points that stand for your similarities" in said.value
