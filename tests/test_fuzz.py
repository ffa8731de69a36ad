"""Interesting inputs of fuzzers, run again; `fuzz/` has the fuzzers."""

from pathlib import Path

from fuzz.readers import run_one

CORPUS = Path(__file__).parent / "fuzz/corpus/readers"


def test_readers(tmp_path):
    paths = sorted(CORPUS.iterdir())
    assert paths
    for path in paths:
        try:
            run_one(path.read_bytes(), tmp_path)
        except Exception as error:
            error.add_note(f"of the input {path}")
            raise
