"""What is proposed for a list without a description."""

from __future__ import annotations

import io

import pytest

from importer import registry
from importer.tables.errors import TableError
from importer.tables.packages import UnknownTarget, propose_table
from importer.tables.proposal import propose
from importer.tables.reading import TableFile
from tests.importer.tables.lists import ORDERS, workbook

CODES = {"UnitsOfMeasure": ["pcs", "kg"], "Currencies": ["EUR"]}


def proposal(data, target="Items"):
    spec = registry.targets()[target].spec
    data = data.encode() if isinstance(data, str) else data
    file = TableFile(io.BytesIO(data))
    return propose(file, spec, codes_of=lambda name: CODES.get(name, ()))


def mapping(data, target="Items"):
    columns = proposal(data, target).description.columns
    return {c.property: c.column for c in columns if c.column}


@pytest.mark.parametrize(
    ("headers", "properties"),
    [
        ("Artikel;Bezeichnung;Preis", "code name price"),
        ("Bezeichnung;Artikel;VK", "name code price"),
        ("SKU;Product;Cost", "code name price"),
        ("Item;Description;MSRP", "code name price"),
        ("Art.-Nr.;Benennung;EP (netto)", "code name price"),
        ("Код;Номенклатура;Цена с НДС", "code name price"),
        ("Artikelnumer;Bezeichnug;Preiss", "code name price"),
        ("unit_of_measure_id;code;name", "unitOfMeasureId code name"),
        ("Nr.;Artikel;Preis EUR", "code name price"),
        ("Part #;Product;Unit Price (USD)", "code name price"),
        ("Material-Nr.;Kurztext;Preis/Einheit", "code name price"),
        ("Material no.;Artikeltext;Bruttopreis €", "code name price"),
        ("Artikel;Text;Bruttopreis €", "code name price"),
        ("Artikel-Nr.;Bezeichnung;VPE-Einheit", "code name unitOfMeasureId"),
    ],
)
def test_columns_are_recognised_by_their_names(headers, properties):
    found = mapping(f"{headers}\nA;B;1\nC;D;2\n")
    assert found == dict(zip(properties.split(), headers.split(";"), strict=True))


def test_a_unit_may_have_its_usual_abbreviation():
    found = mapping("Part #;Product;U/M\nA-1;Hose;pcs\n")
    assert found["unitOfMeasureId"] == "U/M"


def test_a_list_with_titles_blank_lines_quotes_and_a_total_is_read():
    text = """\
Lieferant X GmbH;;;;;

Art.-Nr.;Artikelbezeichnung;Einheit;Listenpreis;;
"10-1";"Schraube; verz.";"Stk";"0,19";;
"10-2";"Rohr 1"" verzinkt";"kg";"1.004,95";;

Summe;;;1.005,14;;
"""
    found = proposal(text.encode("cp1252")).description
    assert (found.header_row, found.delimiter, found.decimal) == (3, ";", ",")
    assert [c.column for c in found.columns if c.column] == [
        "Art.-Nr.",
        "Artikelbezeichnung",
        "Einheit",
        "Listenpreis",
    ]


def test_a_column_whose_cells_do_not_fit_is_not_taken():
    found = mapping("SKU;Name;Price;Category\n1;Bolt;on request;red\n2;Nut;ask;blue\n")
    assert found == {"code": "SKU", "name": "Name"}


def test_the_headers_are_found_below_titles():
    found = proposal("Muster GmbH;\nTel.;0123\n\nSKU;Name\n1;Bolt\n")
    assert found.description.header_row == 4
    assert [list(row.cells) for row in found.sample] == [["1", "Bolt"]]


@pytest.mark.parametrize(
    ("prices", "decimal"),
    [
        (["1,50", "2"], ","),
        (["1.50", "2"], "."),
        (["1.234,50", "12"], ","),
        (["1,234.50", "12"], "."),
        (["1.234", "2,5"], ","),
        (["$1,234", "$0.99"], "."),
    ],
)
def test_the_decimal_mark_is_the_one_that_the_numbers_have(prices, decimal):
    rows = "".join(f"A{n}\tB\t{price}\n" for n, price in enumerate(prices))
    found = proposal(f"SKU\tName\tPrice\n{rows}")
    assert found.description.decimal == decimal


@pytest.mark.parametrize(
    ("dates", "form"),
    [
        (["04.05.2026"], "DD.MM.YYYY"),
        (["2026-05-04"], "YYYY-MM-DD"),
        (["04/05/2026", "31/05/2026"], "DD/MM/YYYY"),
        (["04/05/2026", "05/31/2026"], "MM/DD/YYYY"),
        (["4.5.26"], "DD.MM.YY"),
    ],
)
def test_the_form_of_dates_is_the_one_that_fits_them_all(dates, form):
    rows = "".join(f"SO-{n};{date}\n" for n, date in enumerate(dates))
    found = proposal(f"Auftrag;Datum\n{rows}", "SalesOrders")
    assert found.description.date_format == form


def test_other_words_for_a_unit_become_its_code():
    found = proposal("SKU;Name;Unit\n1;Bolt;Stk.\n2;Nut;шт\n3;Sand;KG\n4;Box;Kiste\n")
    unit = next(c for c in found.description.columns if c.property == "unitOfMeasureId")
    assert unit.values == {"Stk.": "pcs", "шт": "pcs", "KG": "kg"}


def test_every_row_gets_what_lists_do_not_have():
    columns = proposal("SKU;Name;Unit\n1;Bolt;pcs\n").description.columns
    constants = {c.property: c.default for c in columns if c.column is None}
    assert constants == {"isFolder": False, "category": "goods"}


def test_what_no_column_has_is_told():
    assert proposal("SKU;Price\n1;2,50\n").missing == ("name", "unitOfMeasureId")


def test_rows_of_a_document_are_grouped_by_its_number():
    found = proposal(ORDERS, "SalesOrders").description
    assert (found.key, found.group_by, found.match) == (("code",), ("code",), ())
    assert {c.property for c in found.columns} >= {"lines.itemId", "lines.quantity"}


def test_equal_and_missing_headers_have_names_of_their_own():
    found = proposal(workbook(["SKU", "Price", None, "Price"], ["1", 2, 3, 4]))
    assert found.headers == ("SKU", "Price", "C", "Price (2)")


def test_a_table_without_rows_is_refused():
    with pytest.raises(TableError, match="the table is empty"):
        proposal(workbook())


@pytest.mark.django_db
def test_an_unknown_target_is_refused_with_the_one_that_was_meant():
    with pytest.raises(UnknownTarget, match='did you mean "Items"'):
        propose_table(io.BytesIO(b"SKU\n1\n"), "Item")
