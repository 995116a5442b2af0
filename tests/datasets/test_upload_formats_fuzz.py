"""Real files of every format, mutated and cut off: right, or one sentence; bounded in memory and time."""

import gzip
import resource
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nysviz.datasets import describe
from tests.datasets.test_upload_fuzz import check
from tests.datasets.upload_samples import SAMPLES

LIMIT_BYTES = 1.5 * 2**30
PIECES = [
    b"\x00", b"\xff" * 4, b"\xff\xff\xff\x7f", b"\x80" * 8, b"\x1f\x8b", b"PK\x03\x04",
    b"{", b"'", b'"', b":", b",",
    b"\n", b"nan", b"1e308", b"-1e999", b"@data\n", b"@attribute x {a,b}\n", b"1:1 ", b"9999999999:1 ",
    b"'descr': '|O'", b"(99999, 99999)", b"\x15\x00\x15\xfe\xff\xff\xff\x0f", b"<script>",
]  # fmt: skip


def mutated(content, rng):
    """A file with a few bytes flipped, replaced, left out, doubled, put in, or its end cut off."""
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at, length = int(rng.integers(0, len(content) + 1)), int(rng.integers(1, 9))
        kind = rng.integers(6)
        if kind == 0 and len(content) > at:
            content[at] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            content[at : at + length] = rng.bytes(length)
        elif kind == 2:
            del content[at : at + length]
        elif kind == 3:
            content[at:at] = content[at : at + 8 * length]
        elif kind == 4:
            content[at : at + length * int(rng.integers(2))] = PIECES[rng.integers(len(PIECES))]
        elif rng.integers(3) == 0:
            del content[at:]
    return bytes(content)


def described(content, name):
    try:
        found = describe(content, name)
    except ValueError:
        return  # with the same sentence as parse, which is looked at there
    assert found.rows >= 1 and len({column.name for column in found.columns}) == len(found.columns)
    assert all(column.name.isprintable() for column in found.columns)


def fuzz(name, seed, count):
    """Mutate one sample many times; return how many were accepted and the longest time."""
    rng = np.random.default_rng([seed, *name.encode()])
    content, accepted, longest = SAMPLES[name], 0, 0.0
    packed = name.endswith(".gz")
    inside = gzip.decompress(content) if packed else content
    for k in range(count):
        # Half of the packed ones are packed anew: else the checksum guards the reader.
        changed = (
            gzip.compress(mutated(inside, rng), 1, mtime=0) if packed and k % 2 else mutated(content, rng)
        )
        start = time.perf_counter()
        accepted += check(changed, name, [None, 0, False][k % 3])
        described(changed, name)
        longest = max(longest, time.perf_counter() - start)
    return accepted, longest


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SAMPLES)
def test_mutated_files_of_every_format_are_read_or_refused(name):
    accepted, longest = fuzz(name, 0, 60)
    assert accepted < 60 and longest < 10


@pytest.mark.filterwarnings("ignore")
def test_compressed_matlab_variables_are_mutated_inside_too():
    rng = np.random.default_rng(4)
    content = SAMPLES["f.mat"]
    body = zlib.decompress(content[136 : 136 + int.from_bytes(content[132:136], "little")])
    for _ in range(60):
        packed = zlib.compress(mutated(body, rng))
        element = b"\x0f\0\0\0" + len(packed).to_bytes(4, "little") + packed
        check(content[:128] + element, "f.mat")


@pytest.mark.filterwarnings("ignore")
@settings(
    max_examples=150, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
@given(st.sampled_from(sorted(SAMPLES)), st.sampled_from(sorted(SAMPLES)), st.binary(max_size=40), st.data())
def test_heads_with_other_tails_are_read_or_refused(head, name, tail, data):
    cut = data.draw(st.integers(0, min(200, len(SAMPLES[head]))))
    check(SAMPLES[head][:cut] + tail, name)


@pytest.mark.slow
def test_two_thousand_mutated_files_in_bounded_memory():
    run = [sys.executable, "-W", "ignore", "-m", "tests.datasets.test_upload_formats_fuzz", "140"]
    done = subprocess.run(
        run, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr
    files, peak, longest = (float(word) for word in done.stdout.split())
    assert files >= 2_000 and peak < LIMIT_BYTES and longest < 10


if __name__ == "__main__":
    found = [fuzz(name, 1, int(sys.argv[1])) for name in SAMPLES]
    peak_bytes = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(
        f"{len(SAMPLES) * int(sys.argv[1])} {peak_bytes} {max(longest for _, longest in found)}\n"
    )
