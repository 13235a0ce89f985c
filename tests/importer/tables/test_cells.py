"""Texts and cells of spreadsheets as numbers, dates, yes and no."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from importer.tables.cells import (
    CellFormat,
    ErrorCell,
    as_text,
    boolean_value,
    date_time_value,
    date_value,
    decimal_value,
    integer_value,
)
from importer.tables.errors import CellError

COMMA, POINT = CellFormat(decimal=",", date_format="DD.MM.YYYY"), CellFormat()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12,50", "12.5"),
        ("1.234,56", "1234.56"),
        ("1.234", "1234"),
        ("1 234,5 €", "1234.5"),
        ("1'234,50", "1234.5"),
        ("EUR 12,00", "12"),
        ("12,50 руб.", "12.5"),
        ("12,-", "12"),
        ("12,\u2013", "12"),
        ("-5,00", "-5"),
        ("5,00-", "-5"),
        ("(3,50)", "-3.5"),
        (",5", "0.5"),
    ],
)
def test_a_number_with_a_decimal_comma_is_read(text, number):
    assert decimal_value(text, COMMA) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,234.50", "1234.5"),
        ("-$3.00", "-3"),
        ("$.10", "0.1"),
        ("US$ 7", "7"),
        ("1,234,567.1", "1234567.1"),
    ],
)
def test_a_number_with_a_decimal_point_is_read(text, number):
    assert decimal_value(text, POINT) == Decimal(number)


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("auf Anfrage", COMMA),
        ("12.5", COMMA),  # with the other mark it would be another number
        ("1.23.456", COMMA),
        ("1,50", POINT),
        ("12,50", POINT),
        ("12 Stk", COMMA),
        ("-", COMMA),
        ("\u0661\u0662", POINT),
        ("1" * 100, POINT),
    ],
)
def test_a_text_that_is_no_number_of_its_list_is_refused_by_its_name(text, how):
    with pytest.raises(CellError, match="is not a number"):
        decimal_value(text, how)


def test_numbers_of_a_spreadsheet_are_those_that_it_shows():
    assert decimal_value(0.1 + 0.2, POINT) == Decimal("0.3")
    assert str(decimal_value(12.0, POINT)) == "12"
    assert as_text(4006381333931.0) == "4006381333931"


def test_a_whole_number_has_no_fraction():
    assert integer_value("1.000", COMMA) == 1000
    with pytest.raises(CellError, match="is not a whole number"):
        integer_value("1,5", COMMA)


@pytest.mark.parametrize(
    ("cell", "date"),
    [
        ("4.5.2026", "2026-05-04"),
        ("2026-05-04", "2026-05-04"),
        ("04.05.2026 14:30", "2026-05-04"),
        (datetime.date(2026, 5, 4), "2026-05-04"),
        (46146, "2026-05-04"),
        ("$today+7d", "$today+7d"),
    ],
)
def test_a_date_is_read_as_text_as_number_and_as_token(cell, date):
    assert date_value(cell, COMMA) == date


@pytest.mark.parametrize("text", ["31.02.2026", "05/04/2026", "bald", "4.5."])
def test_a_text_that_is_no_date_is_refused_with_the_form_expected(text):
    with pytest.raises(CellError, match=r"is not a date of the form DD\.MM\.YYYY"):
        date_value(text, COMMA)


def test_two_digits_of_a_year_are_of_the_century_that_excel_means():
    short = CellFormat(date_format="MM/DD/YY")
    assert date_value("12/31/29", short) == "2029-12-31"
    assert date_value("12/31/30", short) == "1930-12-31"


def test_a_time_gets_the_offset_of_its_zone():
    noon = datetime.datetime(2026, 5, 4, 12)  # noqa: DTZ001 - as a spreadsheet has it
    assert date_time_value(noon, COMMA) == "2026-05-04T12:00:00+00:00"
    assert date_time_value("04.05.2026", COMMA) == "2026-05-04"


@pytest.mark.parametrize(
    ("cell", "value"), [("Ja", True), ("нет", False), ("x", True), (False, False)]
)
def test_yes_and_no_are_read_in_three_languages(cell, value):
    assert boolean_value(cell, COMMA) is value


def test_an_error_of_a_formula_is_no_text():
    with pytest.raises(CellError, match="#N/A"):
        as_text(ErrorCell("#N/A"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2026-05-04T12:30:00Z", "2026-05-04T12:30:00+00:00"),
        ("2026-05-04T00:00:00+02:00", "2026-05-04T00:00:00+02:00"),
        ("2026-05-04 12:30-03:30", "2026-05-04T12:30:00-03:30"),
    ],
)
def test_a_time_keeps_the_offset_that_it_has(text, value):
    assert date_time_value(text, COMMA) == value


def test_an_offset_that_no_zone_has_is_no_date():
    with pytest.raises(CellError):
        date_time_value("2026-05-04T12:30:00+99:00", COMMA)
