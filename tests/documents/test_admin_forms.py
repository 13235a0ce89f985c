"""The form of a document: header and lines are saved together, and errors are shown at
their fields with the input kept."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from documents.models import GoodsIssue, GoodsReceipt, SalesOrder
from platform_site.records import services
from tests.catalogs.rows import a_folder, boss, events, stored
from tests.documents.pages import (
    add,
    line_errors,
    retyped,
    save,
    typed,
)
from tests.documents.rows import movements, on_hand
from tests.records.pages import errors, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


# -- entering --------------------------------------------------------------------------


def test_a_document_is_entered_with_its_lines_and_numbered(page, world):
    lines = [(world.rice, "5", "1.20"), (world.tea, "2", "3")]
    answer = add(page, GoodsReceipt, typed(world, *lines))
    assert answer.status_code == 302
    row = GoodsReceipt.objects.get()
    assert row.code == "GR-2026-000001"
    assert [(ln["item_id"], ln["quantity"]) for ln in row.lines] == [
        (world.rice.pk, 5),
        (world.tea.pk, 2),
    ]
    assert (row.total, row.is_active, row.version) == (Decimal(12), False, 1)
    assert events(row).get().user_name == "boss"


def test_an_empty_row_of_the_table_is_ignored(page, world):
    lines = [("", "", ""), (world.rice, "5", "1"), ("", "", "")]
    add(page, GoodsReceipt, typed(world, *lines))
    assert len(GoodsReceipt.objects.get().lines) == 1


def test_a_document_can_be_saved_and_posted_at_once(page, world):
    answer = add(
        page, GoodsReceipt, typed(world, (world.rice, "5", "2"), _post="Save and post")
    )
    row = GoodsReceipt.objects.get()
    assert answer.url == url(row, "row")
    assert row.is_active
    assert on_hand(world.rice, world.main) == (5, 10)


def test_saving_without_a_change_writes_nothing(page, world):
    row = world.receipt((world.rice, 5, "1.5"), (world.tea, 2, 3))
    before = GoodsReceipt._base_manager.filter(pk=row.pk).values().get()
    assert save(page, row, retyped(world, row)).status_code == 302
    assert GoodsReceipt._base_manager.filter(pk=row.pk).values().get() == before
    assert movements(row) == [(5, Decimal("7.5")), (2, 6)]


def test_changing_a_line_of_a_posted_document_posts_it_again(page, world):
    row = world.receipt((world.rice, 5, 2))
    answer = save(page, row, retyped(world, row, (world.rice, 7, 2)))
    assert answer.status_code == 302
    assert on_hand(world.rice, world.main) == (7, 14)
    assert list(events(row).first().changes) == ["lines"]
    assert stored(row).total == 14


def test_line_fields_show_only_the_needed_decimal_places(page, world):
    row = world.order((world.rice, "5", "1.5"), (world.tea, "0.25", "2"))
    text = page.get(url(row, "change")).content.decode()
    for number, (quantity, price) in enumerate([("5", "1.50"), ("0.25", "2.00")]):
        for name, shown in [("quantity", quantity), ("price", price)]:
            box = rf'<input[^>]+name="line_rows-{number}-{name}"[^>]*>'
            assert f'value="{shown}"' in re.search(box, text).group()


def test_a_line_can_be_removed_and_another_added(page, world):
    row = world.order((world.rice, 5, 2), (world.tea, 1, 1))
    save(page, row, retyped(world, row, (world.tea, 1, 1), (world.freight, 1, 9)))
    items = [line["item_id"] for line in stored(row).lines]
    assert items == [world.tea.pk, world.freight.pk]


# -- refusals --------------------------------------------------------------------------


def test_an_invalid_line_value_is_reported_at_its_field(page, world):
    lines = [(world.rice, "5", "1"), ("", "", ""), (world.tea, "0", "-1")]
    answer = add(page, GoodsReceipt, typed(world, *lines))
    whole, each = line_errors(answer)
    assert whole == []
    assert each[:2] == [{}, {}]
    assert set(each[2]) == {"quantity", "price"}
    assert GoodsReceipt.objects.count() == 0


def test_a_folder_in_a_line_is_reported_at_its_item(page, world):
    folder = a_folder(code="F", name="Food")
    answer = add(page, GoodsReceipt, typed(world, (folder, "1", "1")))
    sentence = "F Food is a folder; a line needs an item."
    assert line_errors(answer) == ([], [{"item": [sentence]}])


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (("", "5", "1"), "item"),
        (("x", "5", "1"), "item"),
        (("9" * 30, "5", "1"), "item"),
        (("rice", "many", "1"), "quantity"),
        (("rice", "", "1"), "quantity"),
        (("rice", "1.23456", "1"), "quantity"),
        (("rice", "1", "9" * 20), "price"),
        (("rice", "1", "nan"), "price"),
    ],
)
def test_an_unparsable_line_value_is_reported_at_its_field(page, world, line, field):
    line = (world.rice if line[0] == "rice" else line[0], *line[1:])
    answer = add(page, GoodsReceipt, typed(world, line))
    assert set(line_errors(answer)[1][0]) == {field}


def test_a_document_without_lines_is_refused_above_the_table(page, world):
    answer = add(page, SalesOrder, typed(world))
    assert line_errors(answer)[0] == ["At least one line is needed."]


def test_header_and_line_errors_are_reported_together(page, world):
    data = typed(world, (world.rice, "0", "1"), code="x" * 51)
    answer = add(page, SalesOrder, data)
    assert set(errors(answer)) == {"code"}
    assert set(line_errors(answer)[1][0]) == {"quantity"}


def test_an_issue_that_cannot_be_posted_is_not_saved_and_keeps_its_input(page, world):
    data = typed(world, (world.rice, "5", "1"), _post="Save and post")
    answer = add(page, GoodsIssue, data)
    sentence = "Not enough RICE Rice in MAIN Main on 2026-03-05: 5 needed, 0 available."
    assert errors(answer) == {}
    assert line_errors(answer) == ([], [{"quantity": [sentence]}])
    assert GoodsIssue.objects.count() == 0
    form = answer.context["inline_admin_formsets"][0].formset.forms[0]
    assert form["quantity"].value() == "5"


def test_a_change_that_breaks_later_documents_is_refused_and_changes_nothing(
    page, world
):
    row = world.receipt((world.rice, 5, 2))
    world.issue((world.rice, 4, 3), on=2)
    answer = save(page, row, retyped(world, row, (world.rice, 3, 2)))
    assert "Not enough RICE Rice" in line_errors(answer)[1][0]["quantity"][0]
    assert on_hand(world.rice, world.main)[0] == 1
    assert stored(row).lines[0]["quantity"] == 5


def test_a_stale_form_shows_the_stored_lines(page, world):
    row = world.order((world.rice, 5, 2))
    data = retyped(world, row, (world.rice, 6, 2))
    services.update_record(
        row=stored(row),
        data={"lines": [{"itemId": world.tea.pk, "quantity": 1, "price": 1}]},
        actor=boss(),
    )
    answer = save(page, row, data)
    assert "Somebody else changed this row" in errors(answer)["__all__"][0]
    assert "TEA Tea" in line_errors(answer)[0][0]
    form = answer.context["inline_admin_formsets"][0].formset.forms[0]
    assert form["quantity"].value() == "6"
    assert stored(row).version == 2


def test_a_manipulated_line_count_gives_no_error_page(page, world):
    row = world.order((world.rice, 5, 2))
    data = retyped(world, row, **{"line_rows-INITIAL_FORMS": 1, "line_rows-0-id": "77"})
    assert save(page, row, data).status_code in (200, 302)
    data = retyped(world, row, **{"line_rows-TOTAL_FORMS": "many"})
    assert save(page, row, data).status_code == 200
    assert len(stored(row).lines) == 1


def test_the_due_date_of_an_order_is_stored_as_typed(page, world):
    order = world.order((world.rice, 1, 1))
    data = retyped(world, order, due_date="2026-05-01")
    assert save(page, order, data).status_code == 302
    assert str(stored(order).due_date) == "2026-05-01"


def test_a_licence_limit_is_reported_and_keeps_the_input(page, world, licensed):
    licensed(linesPerDocument=1)
    lines = [(world.rice, "5", "1"), (world.tea, "1", "1")]
    answer = add(page, SalesOrder, typed(world, *lines))
    assert "The licence allows 1 line in a document" in line_errors(answer)[0][0]
    world.order((world.rice, 1, 1))
    licensed(documentsPerMonth=1)
    answer = add(page, SalesOrder, typed(world, *lines))
    assert "The licence allows 1 document a month" in errors(answer)["__all__"][0]
    assert SalesOrder.objects.count() == 1
