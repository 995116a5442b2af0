"""One real file of every format that uploads may have, made by the libraries that usually write them."""

import bz2
import gzip
import io
import warnings
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq
from scipy import sparse
from scipy.io import savemat
from sklearn.datasets import dump_svmlight_file

from nysviz.datasets import parse

RNG = np.random.default_rng(11)
X = np.round(RNG.standard_normal((12, 3)) * 8) / 4
X[X == 0] = 0.25
Y = np.arange(12) % 3


def refusal(content, filename="f.csv", target=None, **options):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        parse(content, filename, target, **options)
    sentence = str(caught.value)
    assert "\n" not in sentence and sentence.isprintable() and len(sentence) < 400
    return sentence


def check(content, filename, target=None):
    """The whole promise of ``parse`` about any bytes; True when they were accepted."""
    try:
        data = parse(content, filename, target)
    except ValueError as refusal:
        sentence = str(refusal)
        assert sentence.endswith(".") and "\n" not in sentence and sentence[0].isupper()
        assert len(sentence) < 1500
        assert sentence.replace("\u202f", "").isprintable()
        return False
    assert data.X.ndim == 2 and data.n >= 1 and data.d >= 1 and np.isfinite(data.X).all()
    assert np.isfinite((data.X**2).sum()) and len(set(data.feature_names)) == data.d and data.notes
    assert all(text.isprintable() for text in (*data.feature_names, *data.classes, data.name))
    # Digits are grouped by a narrow space.
    assert all(note.replace("\u202f", "").isprintable() for note in data.notes)
    if data.y is not None:
        assert data.y.shape == (data.n,) and np.isfinite(data.y).all()
        assert data.task != "classification" or len(data.classes) == np.unique(data.y).size
    return True


def notes(data):
    return " ".join(data.notes)


def written(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def npy(array, **options):
    return written(lambda file: np.save(file, array, **options))


def npz(**arrays):
    return written(lambda file: np.savez_compressed(file, **arrays))


def mat(compressed=True, **arrays):
    return written(lambda file: savemat(file, arrays, do_compression=compressed))


def parquet(frame, **options):
    return written(lambda file: frame.to_parquet(file, index=False, **options))


def columns(table, **options):
    return written(lambda file: pq.write_table(pa.table(table), file, **options))


def libsvm(points=X, labels=Y, zero_based=False):
    return written(lambda file: dump_svmlight_file(points, labels, file, zero_based=zero_based))


def arff(points=X, names=("a", "'b c'", "d")):
    head = "% remark\n@relation 'some table'\n\n" + "".join(f"@attribute {name} numeric\n" for name in names)
    rows = "\n".join(",".join(map(repr, row.tolist())) + f",k{y}" for row, y in zip(points, Y, strict=True))
    return (head + "@ATTRIBUTE kind {k0,k1,k2}\n@DATA\n" + rows + "\n").encode()


def zip_of(**members):
    def write(file):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in members.items():
                archive.writestr(name, content)

    return written(write)


def changed(content, member, change):
    """The same packing, one of whose members is changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as old:
        members = {name: old.read(name) for name in old.namelist()}
    return zip_of(**members | {member: change(members[member])})


SHEET = "xl/worksheets/sheet1.xml"
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=[f"k{y}" for y in Y])
CSV = FRAME.to_csv(index=False).encode()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    SAMPLES = {
        "f.csv": CSV,
        "f.tsv": FRAME.to_csv(index=False, sep="\t").encode(),
        "f.csv.gz": gzip.compress(CSV, mtime=0),
        "f.csv.bz2": bz2.compress(CSV),
        "f.libsvm": libsvm(),
        "f": libsvm(zero_based=True),
        "f.arff": arff(),
        "f.parquet": parquet(FRAME.assign(day=pd.Timestamp("2020-01-01"))),
        "f.npy": npy(X),
        "g.npy": npy(X.astype(">f4", order="F")),
        "f.npz": npz(X=X, y=Y, other=np.zeros(4)),
        "f.mat": mat(fea=X, gnd=Y[:, None] + 1, words=np.array(["a", "bb"])),
        "g.mat": mat(False, fea=sparse.csc_array(X * (X > 0.5)), gnd=Y.astype(float)),
        "f.xlsx": written(lambda file: FRAME.to_excel(file, index=False, engine="xlsxwriter")),
        "f.ods": written(lambda file: FRAME.to_excel(file, index=False, engine="odf")),
    }
