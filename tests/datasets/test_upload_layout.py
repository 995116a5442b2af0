"""Where a table of text begins and what names it: numbers as names, units, lines above, points in columns."""

import numpy as np
import pytest

from nysviz.datasets import parse
from nysviz.datasets.upload import read
from tests.datasets.upload_samples import mat, notes, npy, npz, refusal

ROWS = 14
RNG = np.random.default_rng(8)
VALUES = RNG.uniform(0.0, 1.0, (ROWS, 9)).round(4)
K = np.round(VALUES @ VALUES.T, 6) + np.eye(ROWS)
COUNTS = RNG.permuted(np.tile(np.arange(3, 30, 3), (ROWS, 1)), axis=1)


def lines(table, delimiter=","):
    return "\n".join(delimiter.join(map(str, row)) for row in table) + "\n"


def named(names, values=VALUES, delimiter=",", first=None):
    """A table below its names, with a first column if there is one: its name and its cells."""
    rows = [[*map(str, names)], *(list(map(str, row)) for row in values)]
    if first is not None:
        rows = [[cell, *row] for cell, row in zip([first[0], *first[1]], rows, strict=True)]
    return lines(rows, delimiter)


WAVES = {
    "nanometres": list(range(900, 918, 2)),
    "falling": [f"{4000 - 1.928 * k:.3f}" for k in range(9)],
    "rounded": [f"{1801.264 - 3.8567 * k:.2f}" for k in range(9)],
    "stretched": [f"{350 * 1.02**k:.1f}" for k in range(9)],
    "years": list(range(1990, 1999)),
    "every fifth year": list(range(1960, 2005, 5)),
    "hundreds": list(range(100, 1000, 100)),
    "within the values": [f"{0.1 * k:.1f}" for k in range(9)],
}
FIRST = {
    "none": None,
    "row numbers": ("", map(str, range(ROWS))),
    "text": ("kind", ["u", "v"] * (ROWS // 2)),
    "text without a name": ("", [f"s{k}" for k in range(ROWS)]),
}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("kind", WAVES)
def test_numbers_in_steps_unlike_what_stands_below_are_names(kind, first, delimiter):
    beside = None if FIRST[first] is None else (FIRST[first][0], list(FIRST[first][1] or []))
    if first == "row numbers":
        beside = ("", [str(k) for k in range(ROWS)])
    data = parse(named(WAVES[kind], delimiter=delimiter, first=beside).encode(), "f.csv", False)
    assert data.feature_names == tuple(map(str, WAVES[kind])) and np.array_equal(data.X, VALUES)
    shown = ", ".join(map(str, WAVES[kind][:3]))
    assert f"The numbers {shown} … of the first line were taken for names of columns." in notes(data)


def test_few_years_above_counts_and_decimal_commas():
    counts = RNG.integers(10_000, 90_000_000, (ROWS, 3))
    data = parse(
        named((1990, 2000, 2010), counts, first=("", [f"c{k}" for k in range(ROWS)])).encode(), "f.csv", False
    )
    assert data.feature_names == ("1990", "2000", "2010") and np.array_equal(data.X, counts)
    text = named(WAVES["falling"], delimiter=";").replace(".", ",")
    data = parse(text.encode(), "f.csv", False)
    assert data.feature_names[1] == "3998,072" and np.array_equal(data.X, VALUES)


NO_NAMES = {
    "values": VALUES,
    "counts": COUNTS,
    "a grid": np.arange(ROWS * 5).reshape(ROWS, 5),
    "a grid of tens": 10 * np.arange(ROWS * 4).reshape(ROWS, 4),
    "sums": np.cumsum(RNG.integers(1, 9, (ROWS, 6)), axis=1),
    "sums from row to row": np.cumsum(np.vstack([[1, 2, 3], RNG.integers(1, 9, (ROWS, 3))]), axis=0),
    "marks": RNG.integers(1, 6, (40, 5)),
    "similarities": K,
    "multiplication": np.outer(np.arange(1, 13), np.arange(1, 13)),
    "curves": np.exp(-np.outer(np.linspace(0.5, 2, ROWS), np.arange(8))).round(4),
    "points on a line": np.linspace(0, 1, 40).reshape(20, 2),
    "years and values": np.column_stack([np.arange(1990, 2004), 2000 + COUNTS[:, :2]]),
    "few rows": np.array([[1, 2, 3], [10, 20, 35]]),
}


@pytest.mark.parametrize("kind", NO_NAMES)
def test_tables_of_numbers_without_names_stay_without(kind):
    for order in (slice(None), slice(None, None, -1)):
        table = NO_NAMES[kind][:, order]
        found = read(lines(table).encode(), "f.csv")
        assert found.header is False and found.frame.to_numpy().tolist() == table.tolist()


def test_random_tables_of_numbers_have_no_names():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        table = rng.integers(0, 10, (rng.integers(4, 30), rng.integers(4, 12)))
        assert read(lines(table).encode(), "f.csv").header is False


IDS = RNG.permutation(np.arange(1000, 9000))[:ROWS]


@pytest.mark.parametrize("corner", ["", "id", None])
@pytest.mark.parametrize("ids", [IDS, np.arange(7, 7 + ROWS), IDS / 10], ids=["any", "rising", "decimal"])
def test_numbers_above_and_beside_similarities_name_them(ids, corner):
    rows = [[one, *row] for one, row in zip(ids, K, strict=True)]
    head = [*ids] if corner is None else [corner, *ids]
    content = lines([head, *rows], " " if corner is None else ",").encode()
    data = parse(content, "f.txt", False, similarities="given")
    np.testing.assert_allclose(data.X @ data.X.T, K, atol=1e-9)


UNITS = {
    "types of a service": ["5s", "20d", "14n", "14n"],
    "units": ["", "", "m³/s", "°C"],
    "brackets": ["-", "(s)", "(mm)", "(%)"],
    "types": ["string", "date", "float64", "int"],
}


@pytest.mark.parametrize("kind", UNITS)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_line_of_units_or_types_below_the_names_is_left_out(kind, delimiter):
    rows = [["A", f"2012-09-{k + 1:02d}", 200 + 7 * k, f"{k / 9:.3f}"] for k in range(ROWS)]
    names = ["station", "stamp", "flow", "stage"]
    data = parse(lines([names, UNITS[kind], *rows], delimiter).encode(), "f.txt", False, missing="mean")
    assert data.feature_names == ("flow", "stage") and data.n == ROWS
    assert data.X.tolist() == [[200 + 7 * k, float(f"{k / 9:.3f}")] for k in range(ROWS)]
    assert "below the names says units or types and was left out." in notes(data)
    flags = parse(lines([names, UNITS[kind], ["", "", "meta", "class"], *rows]).encode(), "f.txt", False)
    assert np.array_equal(flags.X, data.X)


@pytest.mark.parametrize("row", ["A,2012,na,n/a", "A,2012,-,x", "A,2012,1,x", "A,,,"])
def test_a_first_row_of_gaps_is_no_line_of_units(row):
    rows = [f"A,2012,{k},{k / 9:.3f}" for k in range(ROWS)]
    assert "units" not in notes(parse("\n".join(["s,t,flow,stage", row, *rows]).encode(), "f.csv", False))


TABLE = named(["flow", "level", "kind"], [[f"{k / 7:.3f}", k * k, "ab"[k % 2]] for k in range(ROWS)])
ABOVE = {
    "a title": ("Measured in the spring\n", 1),
    "a title with blanks and a number": ("Station 7 of 12\n\n", 1),
    "titles": ("Report\nby hand, twice\n", 2),
    "keys and values": ("Station,7\nDate,2020-01-01\nOperator,M. Smith\n", 3),
    "keys with colons": ("Station: 7\nDate: 2020\n", 2),
    "a count": ("14\n", 1),
    "two counts": ("14,3\n", 1),
    "a separator at the ends": ('"Data","Indicators",\n\n"Updated","2023-05-10",\n\n', 2),
    "filled up": ("Station 7,,\nDate,2020,\n", 2),
}


@pytest.mark.parametrize("kind", ABOVE)
def test_lines_above_the_table_are_left_out_with_a_word(kind):
    above, count = ABOVE[kind]
    table = TABLE
    if kind == "a separator at the ends":
        table = table.replace("\n", ",\n")
    data = parse((above + table).encode(), "f.csv")
    assert data.feature_names == ("flow", "level") and data.classes == ("a", "b") and data.n == ROWS
    assert f"{count} line{'s' * (count > 1)} above the table taken for its title." in notes(data)
    line = above.count("\n") + 1
    assert read((above + table).encode(), "f.csv").first_line == line
    again = parse((above + table).encode(), "f.csv", first_line=line)
    assert np.array_equal(again.X, data.X) and "above" not in notes(again)
    assert parse((above + table).encode(), "f.csv", False, first_line=line + 1).n == ROWS


def test_remarks_inside_a_table_are_left_out_and_rows_that_begin_with_the_sign_are_not():
    rows = TABLE.splitlines()
    content = "\n".join([*rows[:1], "# calibrated", *rows[1:6], "# again, by hand", *rows[6:]])
    data = parse(content.encode(), "f.csv")
    assert data.n == ROWS and "Left out because of a # in front: 2 lines." in notes(data)
    marked = "\n".join([rows[0], *(f"{row[:-1]}#{k}" for k, row in enumerate(rows[1:]))])
    assert parse(marked.encode(), "f.csv", False).n == ROWS
    first = "\n".join(["id,a,b", *(f'#{k},"{k},5",{k}' for k in range(ROWS))])
    assert parse(first.encode(), "f.csv", False).n == ROWS


def test_the_first_line_is_a_line_of_the_file():
    for wrong in (0, -1, 1.5, True, "2"):
        assert "give the number of a line" in refusal(TABLE.encode(), first_line=wrong)
    assert "first_line is 99, and the file has 15 lines" in refusal(TABLE.encode(), first_line=99)
    assert "leaves no choice" in refusal(npy(VALUES), "f.npy", first_line=2)
    assert "in which line of the file the table begins" in refusal(b"1,2\n1,2\n1,2,3\n")


GENES = [f"g{k}" for k in range(ROWS)]


@pytest.mark.parametrize(
    "content",
    [
        named([f"s{j}" for j in range(9)], first=("gene", GENES)),
        named([f"s{j}" for j in range(9)], first=("", GENES), delimiter="\t"),
        f"#1.2\n{ROWS}\t9\n" + named([f"s{j}" for j in range(9)], first=("Name", GENES), delimiter="\t"),
    ],
    ids=["commas", "tabs", "counts above"],
)
def test_a_table_of_points_in_columns_is_turned(content):
    data = parse(content.encode(), "f.txt", False, turn=True)
    assert np.array_equal(data.X, VALUES.T) and data.feature_names == tuple(GENES)
    assert "each of its columns is a point" in notes(data)
    assert read(content.encode(), "f.txt", turn=True).frame.iloc[:, 0].tolist() == [f"s{j}" for j in range(9)]
    assert "turn is 'x'" in refusal(content.encode(), turn="x")


def test_spectra_in_columns_have_their_wavelengths_as_names():
    waves = [900 + 2 * k for k in range(ROWS)]
    data = parse(named("abcdefghi", first=("nm", waves)).encode(), "f.csv", False, turn=True)
    assert np.array_equal(data.X, VALUES.T) and data.feature_names == tuple(map(str, waves))


LABELS = np.arange(40) % 3
WIDE = RNG.standard_normal((5, 40))


@pytest.mark.usefixtures("warm_reader")
@pytest.mark.parametrize("write, name", [(mat, "f.mat"), (npz, "f.npz")])
def test_labels_that_fit_the_columns_of_an_array_are_said(write, name):
    content = write(X=WIDE, T=LABELS[None, :])
    assert "'T' has a value for each of the 40 columns of 'X': if the columns are" in notes(
        parse(content, name)
    )
    data = parse(content, name, turn=True)
    assert np.array_equal(data.X, WIDE.T) and np.array_equal(data.y, LABELS)
    assert np.array_equal(parse(npy(WIDE), "f.npy", turn=True).X, WIDE.T)
    assert "5 rows of 40 numbers: if the columns are" in notes(parse(npy(WIDE), "f.npy"))
    assert "turn" not in notes(parse(npy(WIDE.T), "f.npy"))


def test_kernel_matrices_as_libsvm_has_them():
    def pairs(matrix):
        rows = [" ".join(f"{j}:{value}" for j, value in enumerate(row, 1)) for row in matrix]
        return "".join(f"{(-1) ** k} 0:{k + 1} {row}\n" for k, row in enumerate(rows)).encode()

    data = parse(pairs(K), "f.txt")
    np.testing.assert_allclose(data.X @ data.X.T, K, atol=1e-5)
    assert data.y.tolist() == [(-1) ** k for k in range(ROWS)] and "of kernel matrices" in notes(data)
    assert np.array_equal(parse(pairs(K), "f.txt", similarities=None).X, K)
    # Of new rows against those that were learnt from.
    test = parse(pairs(K[:5]), "f.txt")
    assert test.X.shape == (5, ROWS) and test.feature_names[0] == "x1"
    # Features that only look like it.
    assert parse(b"1 0:1 1:5\n2 0:2 1:6\n1 0:9 1:7\n", "f.txt").d == 2
