"""What the columns of a visitor's table mean: codes, signs, units, dates, numbers of rows, gaps."""

from datetime import date

import numpy as np
import pytest

from nysviz.datasets import parse, upload
from nysviz.datasets.upload import summarise
from tests.datasets.upload_samples import notes, refusal

RNG = np.random.default_rng(31)
ROWS = 40
A, B = (RNG.standard_normal(ROWS).round(3).tolist() for _ in range(2))


def table(columns, delimiter=","):
    cells = [[str(cell) for cell in column] for column in columns.values()]
    rows = [delimiter.join(row) for row in zip(*cells, strict=True)]
    return "\n".join([delimiter.join(columns), *rows]).encode()


def read(columns, target=False, delimiter=",", **options):
    return parse(table(columns, delimiter), "f.csv", target, **options)


def at(places, code, values):
    return [code if k in places else value for k, value in enumerate(values)]


def test_a_note_about_many_columns_has_their_number_and_three_names():
    names = [f"a{j}" for j in range(120)]
    wide = {name: at({j % 7}, "oops", range(j, j + ROWS)) for j, name in enumerate(names)}
    wide |= {f"b{j}": ["x", "y"] * (ROWS // 2) for j in range(120)} | {
        f"c{j}": [3] * ROWS for j in range(120)
    }
    wide |= {f"d{j}": [""] * ROWS for j in range(120)} | {f"e{j}": at({9}, "", A) for j in range(120)}
    found = read(wide, encode=[f"b{j}" for j in range(60)], missing="mean").notes
    assert len(found) < 12 and max(map(len, found)) < 200
    said = {"a": "held no number", "b": "0 and 1", "c": "Constant", "d": "hold nothing"}
    for letter, sentence in said.items():
        count = 60 if letter == "b" else 120
        columns = f"{count} columns ('{letter}0', '{letter}1', '{letter}2', …)"
        assert sum(columns in note and sentence in note for note in found) == 1
    assert sum("60 columns ('b60', 'b61', 'b62', …)" in note and "text" in note for note in found) == 1


SCALE = [1 + k % 5 for k in range(ROWS)]
AGES = [20 + k * 7 % 60 for k in range(ROWS)]
FEW, SOME, MANY = {3, 11, 17}, {2, 5, 8, 20}, set(range(0, ROWS, 3))


@pytest.mark.parametrize(
    "columns, codes",
    [
        ({"a": at(FEW, -999, A), "b": at(SOME, -999, B), "c": [-999] * ROWS, "d": A}, {-999: [3, 4, ROWS]}),
        ({"q1": at(FEW, 9, SCALE), "q2": at(SOME, 9, SCALE[::-1])}, {9: [3, 4]}),
        ({"age": at(FEW, 999, AGES), "b": B}, {999: [3]}),
        ({"age": at(FEW, 998, at(SOME, 999, AGES)), "b": B}, {999: [4], 998: [3]}),
        ({"a": at(FEW, -200, A), "rows": at(SOME, -200, range(100, 100 + ROWS))}, {-200: [3, 4]}),
        ({"a": at(FEW, -999, at(SOME, 9999, A)), "b": B}, {9999: [4], -999: [3]}),
        ({"a": at(FEW, -99999, at(SOME, 999, A)), "b": B}, {999: [4], -99999: [3]}),
        ({"a": at(MANY, "-99.9", A), "b": B}, {-99.9: [len(MANY)]}),
        ({"a": at(FEW, "1e30", A), "b": B}, {1e30: [3]}),
        # None of these is a code.
        ({"a": A, "counts": [k * k % 7 for k in range(ROWS)]}, {}),
        ({"one of three": [k % 3 - 1 for k in range(ROWS)], "flag": at(FEW, 1, [0] * ROWS)}, {}),
        ({"minus one": at(MANY, 1, [-1] * ROWS), "mostly": at(FEW, 2.5, at(SOME, 2, [-50] * ROWS))}, {}),
        ({"zeros": at(MANY, 0, range(5000, 5000 + ROWS)), "outliers": at({4, 5}, 900, AGES)}, {}),
        ({"pixel": at(FEW, 255, [k % 3 for k in range(ROWS)]), "b": B}, {}),
        ({"a": A, "class": at(SOME, 9, [1 + k % 2 for k in range(ROWS)])}, {}),
    ],
)  # fmt: skip
def test_codes_for_missing_values_are_asked_about_and_taken_when_said(columns, codes):
    about = summarise(upload.read(table(columns), "f.csv")).codes
    assert {code: sorted(counts.values()) for code, counts in about.items()} == codes
    found = [note for note in read(columns, None).notes if note.endswith("far from the others: missing?")]
    assert len(found) == len(codes)
    for code, counts in codes.items():
        said = f"{code:.15g} stands {sum(counts)} times in {len(counts)} column"
        assert any(note.startswith(said) for note in found)
    if codes:
        # As if their cells were empty.
        texts = {f"{code:.15g}" for code in codes} | {"1e30"}
        empty = {name: ["" if str(x) in texts else x for x in cells] for name, cells in columns.items()}
        for missing in ("drop", "median"):
            given, known = (
                read(columns, missing_values=[*codes], missing=missing),
                read(empty, missing=missing),
            )
            assert given.digest == known.digest and "missing?" not in notes(given)
            assert f"Read as missing, as chosen: '{next(iter(codes))}' in " in notes(given)


@pytest.mark.parametrize("code", ["refused", "<LOD", "not asked", "7.0"])
def test_a_text_is_a_code_for_a_missing_value_where_it_is_said_to_be(code):
    columns = {
        "a": at(MANY, code, A),
        "b": at(FEW, code, B),
        "kind": at(SOME, code, ["u", "v"] * (ROWS // 2)),
    }
    empty = {name: ["" if x == code else x for x in cells] for name, cells in columns.items()}
    for target in (False, "kind"):
        given = read(columns, target, missing_values=[code], missing="mean")
        assert given.digest == read(empty, target, missing="mean").digest and given.d == 2
        assert f"'{code}' in {len(MANY) + len(FEW | SOME) - len(FEW & SOME)} cells" in notes(given)
    assert "'0' in 0 cells" in notes(read(columns, missing_values=[0]))
    assert "give a list" in refusal(table(columns), missing_values="refused")


@pytest.mark.parametrize("mark", ["**", "-", "?", ":", "n/a", "nd", "--"])
@pytest.mark.parametrize("last", [True, False])
def test_a_column_of_few_numbers_among_marks_is_one_of_numbers(mark, last):
    few = [f"0.{k}" if k % 5 == 0 else mark for k in range(ROWS)]
    columns = {"a": A, "few": few} if last else {"few": few, "a": A}
    data = read(columns, None)
    assert data.y is None and set(data.feature_names) == {"a", "few"} and data.n == ROWS // 5
    assert f"column 'few' alone lacks a value in {ROWS - ROWS // 5} of them" in notes(data)
    assert (
        read({"a": A, "done": [mark, "1"] * (ROWS // 2)} | {"b": ["-", "-", "1", "-"] * (ROWS // 4)}).d <= 2
    )


MEASURED = [
    ("30%|4.5 %|-7%", [30, 4.5, -7], ","), ("$5|$1200.50|-$3|$ 4|$-2", [5, 1200.5, -3, 4, -2], ","),
    ('"$1,200.50"|$5|"$2,000"', [1200.5, 5, 2000], ","), ("1.5 kg|2 kg|0.25kg", [1.5, 2, 0.25], ","),
    ("1,5 kg|2 kg|0,25 kg", [1.5, 2, 0.25], ";"), ("1 200,50 €|5 €|20 000 €", [1200.5, 5, 20000], ";"),
    ("EUR 1.5|EUR 2|EUR 3", [1.5, 2, 3], ","), ("20 °C|−5 °C|3.5 °C", [20, -5, 3.5], ","),
    ("1e3 m|2.5e-1 m|3 m", [1000, 0.25, 3], ","), ("5 m²|6 m²|7.5 m²", [5, 6, 7.5], ";"),
    ("80 km/h|95 km/h|7 km/h", [80, 95, 7], ","), ("2.5 p|3|4.25 p|1 e|7", [2.5, 3, 4.25, 1, 7], ","),
    ("12*|13|14**|15 (e)", [12, 13, 14, 15], ","), ("5 mg/dL|n/a|7 mg/dL", [5, None, 7], ","),
]  # fmt: skip


@pytest.mark.parametrize("cells, numbers, delimiter", MEASURED)
@pytest.mark.parametrize("repeats", [1, 500])
def test_numbers_with_a_sign_or_unit_are_numbers(cells, numbers, delimiter, repeats):
    cells, numbers = cells.split("|") * repeats, numbers * repeats
    columns = {"a": [k % 7 for k in range(len(cells))], "measured": cells}
    data = read(columns, delimiter=delimiter, missing_values=[])
    assert data.feature_names == ("a", "measured")
    assert data.X[:, 1].tolist() == [number for number in numbers if number is not None]
    example = next(cell.strip('"') for cell in cells if not cell.isdigit())
    assert f"In 'measured' cells such as '{example}' were read as {numbers[0]:g}." in data.notes
    assert read({"name": ["n", "m"] * len(cells), "measured": cells * 2}, delimiter=delimiter).d == 1


@pytest.mark.parametrize(
    "cells", ["30%|0.3|5%", "1.5 kg|300 g|2 kg", "$5|€5|$6", "1.2k|900|3k", "2M|3.5K|4M", "1.5 m|2|3 m"]
)
def test_numbers_whose_signs_differ_stay_text_and_two_are_named(cells):
    cells = cells.split("|") * 4
    data = read({"a": range(len(cells)), "measured": cells})
    first, second = dict.fromkeys(cell for cell in cells if cell != cells[2])
    assert data.feature_names == ("a",)
    assert f"In 'measured' units differ, as in '{first}' and '{second}', so it stays text." in data.notes
    names = [f"n{chr(97 + k % 3)}" for k in range(len(cells))]
    assert f"such as '{first}'" in refusal(table({"name": names, "measured": cells}))


@pytest.mark.parametrize(
    "cells", ["1st|2nd|3rd|4th|5th|6th|7 th", "007a|008a|009a", "12 Main|7 Elm|9 Oak|3 Ash|1 Fir|2 Bay"]
)
def test_codes_and_addresses_are_no_measures(cells):
    assert read({"a": range(len(cells.split("|"))), "b": cells.split("|")}).d == 1


def test_a_target_alone_leaves_no_feature_and_that_is_a_sentence():
    with pytest.raises(ValueError, match="None of the 1 column is left as a feature, for but the target "):
        parse(b"y\n1.5\n2.5\n3.5\n", "a.csv", target="y")


def test_a_percent_sign_is_above_no_name_and_a_unit_no_class():
    rows = [f"r{k},{30 + k * k % 11}%,{k * k % 7 + 1} kg" for k in range(ROWS)]
    content = "\n".join(["region,share,mass", *rows]).encode()
    data = parse(content, "f.csv")
    assert data.feature_names == ("share", "mass") and data.y is None
    assert data.X.tolist() == [[30 + k * k % 11, k * k % 7 + 1] for k in range(ROWS)]


ONES = list(range(1, ROWS + 1))
SHUFFLED = RNG.permutation(np.arange(900, 900 + 2 * ROWS, 2)).tolist()


@pytest.mark.parametrize(
    "name, values, is_id",
    [
        *((name, SHUFFLED, False) for name in (
            "Sample_size", "case_temperature", "record_high", "row_spacing", "no_of_rooms", "nr_children",
            "index_of_refraction", "keyboard_hours", "refractive_index", "worst_case", "world_record",
        )),
        *((name, SHUFFLED, True) for name in (
            "id", "patient_id", "idCard", "sample_no", "Record Number", "caseNumber", "row", "record", "key",
        )),
        ("sample_index", ONES, True), ("this case", ONES, True), ("rank", ONES, False), ("size", ONES, False),
    ],
)  # fmt: skip
def test_a_measurement_whose_name_begins_like_that_of_an_id_stays(name, values, is_id):
    data = read({name: values, "a": A})
    assert data.feature_names == (("a",) if is_id else (name, "a"))
    counts = f"Counting the rows: '{name}'; leave such a column out if it says no more."
    assert (counts in data.notes) == (values is ONES and not is_id)
    alone = read({name: values, "kind": ["u", "v"] * (ROWS // 2)})
    assert alone.feature_names == (name,)
    assert (f"No feature but numbers of the rows: '{name}'." in alone.notes) == is_id


def codes(width, step=137):
    return [f"{k * step % 10**width:0{width}d}" for k in range(1, ROWS + 1)]


@pytest.mark.parametrize(
    "cells", [codes(5), codes(3, 29), codes(8), at(FEW, "", codes(5)), at(FEW, "NA", codes(5))]
)
def test_codes_with_zeros_in_front_are_left_out_and_said(cells):
    columns = {"zip": cells, "a": A, "b": B}
    example = next(cell for cell in cells if cell[:1] == "0")
    for delimiter in ",;\t":
        data = read(columns, delimiter=delimiter)
        assert data.feature_names == ("a", "b") and data.n == ROWS
        assert f"Left out as codes with leading zeros, such as '{example}': 'zip'." in data.notes
        assert read(columns, delimiter=delimiter, leave_out=[]).feature_names == ("zip", "a", "b")
    # Where most numbers are written so, or with a point, it is the way to write numbers.
    for numbers in ({"u": codes(4), "v": codes(4), "a": A}, {"u": [f"0{abs(x)}" for x in A], "a": A}):
        assert read(numbers).feature_names == tuple(numbers)
    months = {"month": [f"{k % 12 + 1:02d}" for k in range(ROWS)], "a": A}
    assert read(months).feature_names == ("month", "a")


DAYS = [date.fromordinal(date(1999, 12, 1).toordinal() + k * k) for k in range(ROWS)]
SINCE = [day.toordinal() - date(1970, 1, 1).toordinal() for day in DAYS]
WRITTEN = [
    "%Y%m%d",
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%Y/%m/%d",
    "%d %b %Y",
    "%d-%b-%y",
    "%d.%m.%y",
]


@pytest.mark.parametrize("written", WRITTEN)
def test_dates_become_numbers_of_days_where_one_asks(written):
    columns = {"day": [day.strftime(written) for day in DAYS], "a": A, "tint": ["red", "blue"] * (ROWS // 2)}
    digits = written == "%Y%m%d"
    plain = read(columns)
    assert plain.feature_names == (("day", "a") if digits else ("a",))
    said = "Dates written as numbers such as 19991201, whose differences are no days, in 'day'"
    assert (said in notes(plain)) == digits
    about = summarise(upload.read(table(columns), "f.csv"))
    assert list(about.dates) == ["day"]
    for dates in (["day"], True):
        data = read(columns, dates=dates)
        assert data.X[:, list(data.feature_names).index("day")].tolist() == SINCE
        assert "Days since 1970-01-01, from " in notes(data) and said not in notes(data)
    gaps = columns | {"day": at(FEW, "", columns["day"])}
    assert read(gaps, dates=True).n == ROWS - len(FEW)
    for wrong in (["a"], ["tint"], ["nothing"]):
        assert f"'{wrong[0]}' cannot become days" in refusal(table(columns), dates=wrong)
    assert "'day' cannot become days" in refusal(table(columns), target="day", dates=["day"])


def test_times_are_parts_of_days_and_numbers_of_eight_digits_are_no_dates():
    columns = {"when": [f"2024-02-{k % 9 + 20} 06:{k:02d}:00" for k in range(ROWS)], "a": A}
    known = [19723 + 31 + k % 9 + 19 + (360 + k) / 1440 for k in range(ROWS)]
    np.testing.assert_allclose(read(columns, dates=True).X[:, 0], known, atol=1e-9)
    for numbers in (range(20240101, 20240101 + ROWS), [20241301] * ROWS, [20240101] * ROWS):
        assert "Dates written" not in notes(read({"n": numbers, "a": A}))


@pytest.mark.parametrize("places", [MANY, set(range(1, ROWS)), {7}])
def test_the_column_that_costs_rows_is_named_with_their_number_and_the_remedy(places):
    columns = {"a": A, "j": at(places, "", B), "k": at({1, 2}, "", B), "class": ["u", "v"] * (ROWS // 2)}
    lost, alone = places | {1, 2}, len(places - {1, 2})
    column, alone = ("j", alone) if alone >= len({1, 2} - places) else ("k", len({1, 2} - places))
    said = f"{len(lost)} of {ROWS} rows left out for missing or infinite values; "
    said += f"column '{column}' alone lacks a value in {alone} of them: "
    assert f"{said}to keep them, leave that column out, or fill its gaps." in read(columns, "class").notes
    assert read(columns, "class", leave_out=["j", "k"]).n == ROWS
    both = {"a": at(FEW, "", A), "j": at(FEW | {1}, "", B), "k": at(FEW, "", B)}
    assert "column 'j' alone lacks a value in 1 of them" in notes(read(both))
    assert "column 'a' lacks a value in 3 of them" in notes(read(both | {"j": at(FEW, "", B)}))
    target = {"a": A, "class": at(places, "", ["u", "v"] * (ROWS // 2))}
    verb = "has" if len(places) == 1 else "have"
    assert f"{len(places)} of them {verb} no target." in notes(read(target, "class"))
    full = {"a": [""] * (ROWS - 1) + [1], "j": at({ROWS - 1}, "", B)}
    assert f"No row is complete: of {ROWS} rows column 'a' alone lacks" in refusal(table(full), target=False)


@pytest.mark.parametrize("size", [2**53 + 1, 10**18 + 1, 2**63 + 5, 12345678901234567890123])
@pytest.mark.parametrize("sign", [1, -1])
def test_whole_numbers_that_a_float_does_not_hold_are_said_to_be_rounded(size, sign):
    columns = {"serial": [sign * (size + k % 2) for k in range(ROWS)], "a": A}
    said = "In 'serial' whole numbers beyond 9007199254740992 were rounded."
    assert said in read(columns).notes
    assert said in read(columns | {"serial": at(FEW, "n/a", columns["serial"])}).notes
    small = {"serial": [sign * (2**53 - k) for k in range(ROWS)], "a": [x * 1e20 for x in A]}
    assert "rounded" not in notes(read(small))
