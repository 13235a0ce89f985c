"""The values that each type of property accepts, given as wire values."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalogs.models import (
    BankAccount,
    Counterparty,
    Currency,
    Item,
    UnitOfMeasure,
    Warehouse,
)
from platform_site.records.errors import Refusal
from platform_site.records.services import create_record, update_record
from tests.catalogs.rows import a_row, a_unit, a_warehouse, an_item, boss, stored

pytestmark = pytest.mark.django_db
LONE = "\ud800"


def refused_at(model, path, row=None, **values):
    """Return the properties refused both for a new row and for a change."""
    with pytest.raises(Refusal) as refusal:
        a_row(model, **values)
    assert {each.path for each in refusal.value.problems} == {path}
    if row is not None:
        with pytest.raises(Refusal) as refusal:
            update_record(row=stored(row), data=values, actor=boss())
        assert {each.path for each in refusal.value.problems} == {path}
        assert stored(row).version == row.version
    return refusal.value.problems[0].message


# -- booleans --------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["true", "false", "on", 1, 0, "1", "", [], {}, 1.0])
def test_a_boolean_is_true_or_false_and_nothing_else(value):
    row = a_row(Counterparty)
    refused_at(Counterparty, "isCustomer", row, isCustomer=value)


def test_true_and_false_are_kept():
    row = a_row(Counterparty, isCustomer=True, isSupplier=False)
    assert (stored(row).is_customer, stored(row).is_supplier) == (True, False)


def test_null_clears_an_optional_boolean_and_is_refused_for_a_required_one():
    row = a_row(Counterparty, isCustomer=True)
    update_record(row=row, data={"isCustomer": None}, actor=boss())
    assert stored(row).is_customer is False
    refused_at(Item, "isFolder", isFolder=None)


# -- texts -----------------------------------------------------------------------------


@pytest.mark.parametrize("value", [5, 0, 1.5, Decimal("1"), True, False, [], ["a"], {}])
def test_a_value_that_is_not_text_is_refused(value):
    row = a_warehouse()
    for name in ("code", "name", "address"):
        refused_at(Warehouse, name, row, **{name: value})


@pytest.mark.parametrize("value", [5, True, [], {}])
def test_an_email_address_that_is_not_text_is_refused(value):
    refused_at(Counterparty, "email", a_row(Counterparty), email=value)


def test_a_text_is_trimmed():
    row = a_warehouse(code=" M\t", name="\nMain house ", address="  ")
    after = stored(row)
    assert (after.code, after.name, after.address) == ("M", "Main house", "")


@pytest.mark.parametrize("value", ["", "   ", "\n", None])
def test_a_required_text_may_not_be_empty(value):
    row = a_warehouse()
    for name in ("code", "name"):
        refused_at(Warehouse, name, row, **{name: value})


@pytest.mark.parametrize(
    "value", ["a\x00b", "a\x07", "\x1b[0m", "a\x7fb", "a\x9fb", LONE]
)
def test_control_characters_are_refused(value):
    row = a_warehouse()
    for name in ("code", "name", "address"):
        refused_at(Warehouse, name, row, **{name: value})


def test_tabs_and_line_breaks_inside_a_text_are_kept():
    row = a_warehouse(address="Road 1\r\nTown\tLand\nEarth")
    assert stored(row).address == "Road 1\r\nTown\tLand\nEarth"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_an_optional_text_is_cleared(value):
    row = a_warehouse(address="Road 1")
    update_record(row=row, data={"address": value}, actor=boss())
    assert stored(row).address == ""


@pytest.mark.parametrize("value", [None, ""])
def test_an_email_address_is_cleared(value):
    row = a_row(Counterparty, email="office@example.com")
    update_record(row=row, data={"email": value}, actor=boss())
    assert stored(row).email == ""


@pytest.mark.parametrize(
    ("model", "name", "longest"),
    [
        (UnitOfMeasure, "code", 20),
        (Currency, "code", 10),
        (Warehouse, "code", 50),
        (Warehouse, "name", 250),
    ],
)
def test_a_text_has_a_maximum_length(model, name, longest):
    assert getattr(stored(a_row(model, **{name: "x" * longest})), name) == "x" * longest
    message = refused_at(model, name, **{name: "y" * (longest + 1)})
    assert str(longest) in message


def test_a_text_is_measured_in_characters():
    assert stored(a_row(Currency, code="Ж" * 10)).code == "Ж" * 10
    assert stored(a_row(Currency, code="🍎" * 10)).code == "🍎" * 10


# -- choices ---------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["Goods", "gold", "", 1, True, ["goods"], {}])
def test_a_choice_must_be_one_of_its_values(value):
    refused_at(
        Item,
        "category",
        isFolder=False,
        unitOfMeasureId=a_unit().pk,
        category=value,
    )


# -- numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("12.5", "12.5000"),
        (7, "7.0000"),
        (Decimal("0.0001"), "0.0001"),
        (0.1, "0.1000"),
        ("0", "0.0000"),
        ("007", "7.0000"),
    ],
)
def test_a_decimal_is_kept_exactly(value, kept):
    assert str(stored(an_item(price=value)).price) == kept


@pytest.mark.parametrize(
    "value",
    [
        "100000000000000",
        10**14,
        "0.00001",
        "1.00000",
        Decimal("1.00000"),
        "1,5",
        "1e3",
        "+1",
        ".5",
        "1.",
        "\u0661",
        "1 000",
        "NaN",
        "Infinity",
        float("nan"),
        float("inf"),
        Decimal("1E3000000"),
        "",
        "x",
        True,
        [],
        {},
        "-0.0001",
    ],
    ids=repr,
)
def test_a_decimal_beyond_fourteen_and_four_digits_is_refused(value):
    row = an_item()
    with pytest.raises(Refusal) as refusal:
        update_record(row=row, data={"price": value}, actor=boss())
    assert {each.path for each in refusal.value.problems} == {"price"}
    assert stored(row).price is None


@pytest.mark.parametrize("value", ["99999999999999.9999", "12345678901234.5678"])
def test_a_decimal_of_eighteen_digits_is_returned_unchanged(value):
    assert str(stored(an_item(price=value)).price) == value


def test_null_clears_a_decimal():
    row = an_item(price="5")
    update_record(row=row, data={"price": None}, actor=boss())
    assert stored(row).price is None


@pytest.mark.parametrize("value", [0, 6, None])
def test_a_whole_number_within_its_limits_is_kept(value):
    assert stored(a_row(Currency, minorUnits=value)).minor_units == value


@pytest.mark.parametrize("value", [-1, 7, 10**30, "2", 2.0, 2.5, True, "", Decimal(2)])
def test_an_invalid_or_out_of_range_whole_number_is_refused(value):
    refused_at(Currency, "minorUnits", a_row(Currency), minorUnits=value)


# -- references ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [0, -1, 10**9, 10**30, 1.0, Decimal("1E3000000"), "x", "9" * 30, "", True, [], {}],
    ids=repr,
)
def test_a_reference_is_the_id_of_a_row(value):
    currency = a_row(Currency)
    row = a_row(BankAccount, currencyId=currency.pk)
    refused_at(BankAccount, "currencyId", row, currencyId=value)


def test_a_reference_may_be_a_number_or_its_digits():
    currency = a_row(Currency)
    assert a_row(BankAccount, currencyId=currency.pk).currency_id == currency.pk
    assert a_row(BankAccount, currencyId=str(currency.pk)).currency_id == currency.pk


def test_null_is_refused_for_a_required_reference():
    currency = a_row(Currency)
    row = a_row(BankAccount, currencyId=currency.pk)
    refused_at(BankAccount, "currencyId", row, currencyId=None)


# -- what must be given ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "needed"),
    [
        (Warehouse, {"code", "name"}),
        (BankAccount, {"code", "name", "currencyId"}),
        (Item, {"isFolder", "code", "name"}),
    ],
)
def test_all_missing_required_properties_are_reported(model, needed):
    with pytest.raises(Refusal) as refusal:
        create_record(model=model, data={}, actor=boss())
    assert {each.path for each in refusal.value.problems} == needed


def test_properties_left_out_of_a_change_are_unchanged():
    row = an_item(name="Rice", price="5", description="In bags")
    update_record(row=row, data={"price": "6"}, actor=boss())
    after = stored(row)
    assert (after.name, after.description) == ("Rice", "In bags")
    assert after.price == 6
