"""Files as tables: encodings, delimiters, sheets, and files that aren't tables."""

from __future__ import annotations

import io
import zipfile
from collections import deque

import pytest

from importer.tables import xlsx_rows
from importer.tables.csv_rows import csv_rows, delimiter_of
from importer.tables.description import TableFormat
from importer.tables.errors import TableError
from importer.tables.reading import TableFile
from importer.tables.text_encoding import encoding_of
from tests.importer.tables.lists import excel_list, workbook

XLSX = TableFormat("xlsx")


def rows_of(data, how=XLSX):
    return list(TableFile(io.BytesIO(data)).raw_rows(how))


def cells(data, sheet=None):
    how = TableFormat("xlsx", sheet=sheet)
    return [list(row.cells) for row in rows_of(data, how)]


GERMAN = "Artikel;Preis\nSchlüssel;12,50 €\nDübel größer;3,00 €\nSäge;1\n"
FRENCH = "Référence;Prix\nClé à molette;12,50\nMètre ruban;3,00\nCâble;1\n"
RUSSIAN = "Артикул;Цена\nКирпич красный;12,50\nЛопата штыковая;300\nГвоздь;1\n"
POLISH = "Kod;Nazwa\n1;Żółta łopata do śniegu\n2;Wkręt gęsty\n3;Klucz płaski mały\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32"),
        (GERMAN, "cp1252"),
        (FRENCH, "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8_r"),
        (RUSSIAN, "cp866"),
        (POLISH, "cp1250"),
    ],
)
def test_a_text_is_read_in_the_encoding_it_was_saved_in(text, encoding):
    stream = io.BytesIO(text.encode(encoding))
    found = encoding_of(stream)
    read = [";".join(row.cells) for row in csv_rows(stream, found, ";")]
    assert "\n".join(read) == text.strip()


def test_a_letter_at_the_end_of_a_long_file_tells_the_encoding():
    data = b"code;name\n" + b"1;plain\n" * 300_000 + "2;Säge\n".encode("cp1252")
    stream = io.BytesIO(data)
    (last,) = deque(csv_rows(stream, encoding_of(stream), ";"), maxlen=1)
    assert last.cells == ["2", "Säge"]
    assert last.line == 300_002


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("code;name;price\n1;Bolt, long;1,50\n2;Nut;3,00\n", ";"),
        ('code,name,price\n1,"Bolt; long",1.50\n2,Nut,3\n', ","),
        ("code\tname\n1\tBolt, long\n2\tNut\n", "\t"),
        ("code|name\n1|Bolt\n", "|"),
        ("Prices, spring\n\ncode;name;price\n1;Bolt;1,5\n2;Nut;2,5\n", ";"),
        ("sep=#\ncode#name\n1#a;b\n", "#"),
    ],
)
def test_the_delimiter_is_the_one_that_makes_even_rows(text, delimiter):
    assert delimiter_of(io.BytesIO(text.encode()), "utf-8") == delimiter


def test_rows_have_the_line_where_they_begin():
    text = b'sep=;\r\ncode;name\r\n1;"two\r\nlines"\r\n\r\n2;Nut\r\n'
    rows = list(csv_rows(io.BytesIO(text), "utf-8", ";"))
    lines = [row.line for row in rows if any(row.cells)]
    assert lines == [2, 3, 6]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "the file is empty"),
        (b" \r\n \r\n", "the file is empty"),
        (b"PK\x03\x04 not a zip", "the workbook can't be read"),
        (b"\xd0\xcf\x11\xe0 old", "an old (.xls) or a protected workbook"),
        (b"<html><table><tr>", "neither CSV nor XLSX"),
        (b"%PDF-1.7", "neither CSV nor XLSX"),
    ],
)
def test_a_file_that_is_no_table_is_refused_in_one_sentence(data, sentence):
    with pytest.raises(TableError) as refusal:
        rows_of(data)
    assert sentence in str(refusal.value)


def test_bytes_that_no_text_has_are_refused():
    with pytest.raises(TableError, match="isn't a table"):
        encoding_of(io.BytesIO(bytes(range(256)) * 20))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('a;b\n1;2\n3;"open\n4;5\n', "line 3: a quotation mark is never closed"),
        ('a;b\n1;"x"y\n', "line 2: after a closing quotation mark"),
        ("a;b\n1;" + '"' + "x" * 200_000, "line 2: a quotation mark is never closed"),
    ],
)
def test_broken_quotes_are_refused_with_their_line(text, sentence):
    with pytest.raises(TableError) as refusal:
        list(csv_rows(io.BytesIO(text.encode()), "utf-8", ";"))
    assert str(refusal.value).startswith(sentence)


def test_another_encoding_than_the_described_one_is_refused():
    with pytest.raises(TableError, match="isn't in the encoding utf-8"):
        list(csv_rows(io.BytesIO("a;ü".encode("cp1252")), "utf-8", ";"))


def test_the_first_visible_sheet_with_a_table_is_read():
    found = cells(excel_list())
    assert found[0][0] == "Preisliste Frühjahr"
    assert found[4] == [4711, "Schlüssel", "Stk", 12.5]


def test_a_hidden_sheet_is_read_if_it_is_named():
    assert cells(excel_list(), "kalkulation")[1][1] == "Einkauf"


def test_an_unknown_sheet_is_refused_with_the_one_that_was_meant():
    with pytest.raises(TableError, match='did you mean "Preise"'):
        cells(excel_list(), "Preis")


def test_a_code_has_the_zeros_that_the_spreadsheet_shows():
    assert cells(excel_list())[6][0] == "00007"


def test_a_formula_has_its_value_and_without_one_it_is_empty():
    data = workbook(["code", "price"], ["1", "=1+1"])
    assert cells(data) == [["code", "price"], ["1", None]]


def changed(data, part, text):
    """Return a workbook with another text in a part."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, text if name == part else old.read(name))
    return out.getvalue()


SHEET = "xl/worksheets/sheet1.xml"
WHOLE = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    "<sheetData>{}</sheetData></worksheet>"
)


@pytest.mark.parametrize(
    "inner",
    [
        "<row><c><v>1</v></c>",
        '<row r="x"><c r="A1"><v>1</v></c></row>',
        '<row r="1"><c r="A1" t="s"><v>99</v></c></row>',
        "<![CDATA[<row>]]>",
    ],
    ids=["cut off", "no row number", "no such text", "declarations"],
)
def test_a_damaged_sheet_is_refused(inner):
    data = changed(workbook(["code"], ["1"]), SHEET, WHOLE.format(inner))
    with pytest.raises(TableError, match="damaged"):
        rows_of(data)


def test_a_row_that_unpacks_to_more_than_memory_takes_is_refused(monkeypatch):
    monkeypatch.setattr(xlsx_rows, "_MAX_ROW", 1 << 20)
    inner = '<row r="1">' + "<c><v>1</v></c>" * 200_000 + "</row>"
    data = changed(workbook(["code"], ["1"]), SHEET, WHOLE.format(inner))
    assert len(data) < 20_000
    with pytest.raises(TableError, match="too large when it is unpacked"):
        rows_of(data)


def test_parts_that_unpack_to_more_than_memory_takes_are_refused(monkeypatch):
    monkeypatch.setattr(xlsx_rows, "_MAX_LOADED", 1 << 20)
    data = changed(workbook(["code"], ["1"]), "xl/styles.xml", " " * (1 << 21))
    with pytest.raises(TableError, match="too large when it is unpacked"):
        rows_of(data)


@pytest.mark.parametrize("place", ["A9999999", "XFD2"])
def test_a_sheet_of_more_rows_or_columns_than_excel_has_is_refused(place, monkeypatch):
    monkeypatch.setattr(xlsx_rows, "MAX_LINES", 1000)
    line = place.lstrip("AXFD")
    inner = (
        f'<row r="1"><c r="A1"><v>1</v></c></row><row r="{line}"><c r="{place}"/></row>'
    )
    data = changed(workbook(["code"], ["1"]), SHEET, WHOLE.format(inner))
    with pytest.raises(TableError, match="more than"):
        rows_of(data)


def test_a_workbook_without_a_visible_sheet_is_refused():
    data, part = workbook(["code"], ["1"]), "xl/workbook.xml"
    text = zipfile.ZipFile(io.BytesIO(data)).read(part)
    hidden = changed(data, part, text.replace(b'"visible"', b'"hidden"'))
    with pytest.raises(TableError, match="no visible sheet"):
        rows_of(hidden)
