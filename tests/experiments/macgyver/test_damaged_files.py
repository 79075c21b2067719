"""Damaged tables: a line with the file and what to do, and never another value than the file's."""

import random
import zipfile

import pytest
from macgyver_files import PROBLEMS, write_release, write_table

from fourfold.errors import UserError
from fourfold.experiments.cli import main
from fourfold.experiments.files.text_file import reading
from fourfold.experiments.macgyver.rows import raw_rows

NEEDED = {".xlsx": "openpyxl", ".parquet": "pyarrow"}
FLIPS, CUTS = 60, 15


def read(path):
    return [row for _, row, _ in raw_rows(path)]


def one_line(path):
    with pytest.raises(UserError) as raised:
        read(path)
    message = str(raised.value)
    assert message.startswith(str(path))
    assert message.isprintable()
    return message


@pytest.mark.parametrize("ending", [".xlsx", ".json", ".jsonl", ".parquet", ".csv"])
def test_flipped_bits_and_cuts_are_one_line_each(tmp_path, ending):
    """What a checksum guards is never read as something else; other formats have none."""
    pytest.importorskip(NEEDED.get(ending, "json"))
    source = write_table(tmp_path / f"whole{ending}", PROBLEMS)
    raw, whole = source.read_bytes(), read(source)
    path = tmp_path / f"damaged{ending}"
    rng = random.Random(ending)
    damaged = []
    for place in rng.sample(range(8 * len(raw)), FLIPS):
        flipped = bytearray(raw)
        flipped[place // 8] ^= 1 << place % 8
        damaged.append(bytes(flipped))
    damaged += [raw[: rng.randrange(len(raw))] for _ in range(CUTS)]
    n_errors = 0
    for content in damaged:
        path.write_bytes(content)
        try:
            found = read(path)
        except UserError:
            one_line(path)
            n_errors += 1
        else:
            assert ending != ".xlsx" or found == whole
    assert n_errors > (FLIPS if ending == ".xlsx" else CUTS)


def test_other_zip_files_are_no_workbooks(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "p.xlsx"
    for members in ({}, {"a.txt": "x"}, {"[Content_Types].xml": "<Types/>"}, {"word/document.xml": "<a/>"}):
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        assert "cannot be read as an Excel workbook (" in one_line(path)


@pytest.mark.parametrize("kind", ["date32", "timestamp", "duration"])
def test_a_parquet_column_whose_values_no_date_holds_is_named(tmp_path, kind):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    types = {"date32": pa.date32(), "timestamp": pa.timestamp("us"), "duration": pa.duration("s")}
    value = pa.array([2**30 if kind == "date32" else 2**60], pa.int32() if kind == "date32" else pa.int64())
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"Problem": ["x"], "when": value.cast(types[kind])}), path)
    message = one_line(path)
    assert message.startswith(f'{path}, column "when" cannot be read as a Parquet file (')
    assert message.endswith("fetch the file again, or write this column as text")


def test_parquet_pages_with_checksums_are_checked(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "p.parquet"
    pq.write_table(
        pa.table({"text": ["a rope that is long"]}), path, compression="none", write_page_checksum=True
    )
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"rope")] ^= 1
    path.write_bytes(raw)
    assert "cannot be read as a Parquet file" in one_line(path)


def test_the_command_line_names_the_damaged_file(tmp_path, capsys):
    pytest.importorskip("openpyxl")
    folder = write_release(tmp_path, ".xlsx")
    path = folder / "problem_solution_pair.xlsx"
    raw = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        raw[archive.getinfo("xl/worksheets/sheet1.xml").header_offset + 200] ^= 1
    path.write_bytes(raw)
    assert main(["macgyver", "stats", "--data", str(folder)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"{path} cannot be read as an Excel workbook (" in error
    assert error.endswith("): fetch or save it again\n")


def test_the_systems_errors_are_not_blamed_on_the_format(tmp_path):
    told = r"x cannot be read \(No space left on device\): check the path"
    with pytest.raises(UserError, match=told), reading(tmp_path / "x", "a table"):
        raise OSError(28, "No space left on device")
    with pytest.raises(MemoryError), reading(tmp_path / "x", "a table"):
        raise MemoryError
