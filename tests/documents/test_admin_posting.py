"""The buttons that post and unpost documents, and what can't be edited."""

from __future__ import annotations

import pytest

from documents.models import GoodsReceipt, SalesOrder
from platform_site.records import services
from tests.catalogs.rows import boss, stored
from tests.documents.pages import press, retyped, save
from tests.documents.rows import a_documents_clerk, on_hand
from tests.records.pages import act, said, text, url

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(boss())
    return client


# -- posting ---------------------------------------------------------------------------


def test_buttons_post_and_unpost_a_document(page, world):
    row = world.receipt((world.rice, 5, 2), post=False)
    answer = press(page, row, "post")
    assert said(answer) == ["GR-2026-000001 is posted."]
    assert b"Unpost" in answer.content
    assert stored(row).is_active
    assert said(press(page, stored(row), "unpost")) == [
        "GR-2026-000001 is no longer posted."
    ]
    assert (stored(row).is_active, stored(row).version) == (False, 3)


def test_a_refused_posting_is_reported_on_the_same_page(page, world):
    row = world.issue((world.rice, 5, 2), post=False)
    answer = press(page, row, "post")
    assert answer.redirect_chain == [(url(row, "row"), 302)]
    sentence = "Not enough RICE Rice in MAIN Main on 2026-03-01: 5 needed, 0 available."
    assert said(answer) == [f"{row.code}: {sentence}"]
    assert not stored(row).is_active


def test_a_button_of_a_stale_page_does_nothing(page, world):
    row = world.receipt((world.rice, 5, 2), post=False)
    services.update_record(row=stored(row), data={"comment": "New"}, actor=boss())
    answer = press(page, row, "post")
    assert "Somebody else has just changed" in said(answer)[0]
    assert not stored(row).is_active


def test_posting_from_an_unchanged_form_only_posts(page, world):
    row = world.receipt((world.rice, 5, 2), post=False)
    save(page, row, retyped(world, row, _post="Save and post"))
    after = stored(row)
    assert after.is_active
    assert after.version == row.version + 1


def test_a_get_request_posts_nothing(page, world):
    row = world.receipt((world.rice, 5, 2), post=False)
    path = url(row, "change").replace("/change/", "/post/")
    assert page.get(path).status_code == 405
    assert not stored(row).is_active


def test_posting_needs_its_own_right(client, world):
    row = world.receipt((world.rice, 5, 2), post=False)
    client.force_login(
        a_documents_clerk(
            "view_goodsreceipt", "change_goodsreceipt", "add_goodsreceipt"
        )
    )
    answer = client.get(url(row, "change"))
    assert answer.status_code == 200
    assert b"Save and post" not in answer.content
    assert press(client, row, "post").status_code == 403
    data = retyped(world, row, (world.rice, 6, 2), _post="Save and post")
    assert save(client, row, data).status_code == 403
    assert stored(row).lines[0]["quantity"] == 5


def test_editing_lines_needs_only_the_right_to_change_the_document(client, world):
    row = world.receipt((world.rice, 5, 2), post=False)
    client.force_login(a_documents_clerk("view_goodsreceipt", "change_goodsreceipt"))
    data = retyped(world, row, (world.rice, 6, 2))
    assert save(client, row, data).status_code == 302
    assert stored(row).lines[0]["quantity"] == 6


def test_selected_documents_are_posted_in_order_of_date(page, world):
    first = world.receipt((world.rice, 5, 2), post=False, on=1)
    second = world.receipt((world.rice, 5, 2), post=False, on=2)
    answer = page.post(
        url(GoodsReceipt, "changelist"),
        {"action": "post_selected", "_selected_action": [second.pk, first.pk]},
    )
    assert said(answer) == ["2 goods receipts posted."]
    assert stored(first).is_active
    assert stored(second).is_active


# -- what is only shown ----------------------------------------------------------------


def test_a_deleted_document_shows_its_lines_read_only(page, world):
    row = world.receipt((world.rice, 5, 2))
    services.delete_record(row=stored(row), actor=boss())
    answer = page.get(url(row, "change"))
    assert b"RICE Rice" in answer.content
    assert b"This row is deleted" in answer.content
    assert b"TOTAL_FORMS" not in answer.content


def test_a_document_with_too_many_lines_for_a_form_has_an_editable_header(
    page, world, monkeypatch
):
    monkeypatch.setattr("documents.admin.with_lines.MOST_LINES_TYPED", 1)
    row = world.order((world.rice, 5, 2), (world.tea, 1, 1))
    answer = page.get(url(row, "change"))
    assert b"too many lines" in answer.content
    assert b"TEA Tea" in answer.content
    data = {k: v for k, v in retyped(world, row).items() if "line_rows" not in k}
    assert save(page, row, {**data, "comment": "New"}).status_code == 302
    assert stored(row).comment == "New"
    assert len(stored(row).lines) == 2


def test_the_history_names_the_items_of_changed_lines(page, world):
    row = world.order((world.rice, 5, 2))
    save(page, row, retyped(world, row, (world.tea, 6, 2)))
    shown = text(page.get(url(row, "history")))
    assert "Line 1, Item : RICE Rice → TEA Tea" in shown
    assert "Line 1 (TEA Tea), Quantity : 5 → 6" in shown


# -- deleting --------------------------------------------------------------------------


def test_deleting_unposts_a_document_which_can_be_found_and_restored(page, world):
    row = world.receipt((world.rice, 5, 2))
    answer = page.post(url(row, "delete"), {"post": "yes"})
    assert answer.status_code == 302
    assert on_hand(world.rice, world.main) == (0, 0)
    assert (
        row not in page.get(url(GoodsReceipt, "changelist")).context["cl"].result_list
    )
    found = page.get(url(GoodsReceipt, "changelist", deleted="yes", q=row.code))
    assert list(found.context["cl"].result_list) == [row]
    answer = act(page, GoodsReceipt, "restore_selected", [row], deleted="yes")
    assert said(answer) == ["1 goods receipt restored."]
    assert (stored(row).is_deleted, stored(row).is_active) == (False, False)


def test_deleting_selected_documents_asks_first_and_names_refusals(page, world):
    row = world.receipt((world.rice, 5, 2))
    other = world.receipt((world.tea, 5, 2))
    world.issue((world.rice, 4, 3), on=2)
    rows = [row, other]
    assert b"Delete 2 goods receipts?" in (
        act(page, GoodsReceipt, "delete_selected", rows).content
    )
    answer = act(page, GoodsReceipt, "delete_selected", rows, confirm=2)
    refused, done = said(answer)
    assert refused.startswith(f"{row.code}: Not enough RICE Rice")
    assert done.startswith("1 goods receipt deleted.")


def test_restoring_from_the_list_names_the_line_that_prevents_it(page, world):
    order = world.order((world.rice, 1, 1), (world.tea, 1, 1))
    for row in (order, world.tea):
        services.delete_record(row=stored(row), actor=boss())
    answer = act(page, SalesOrder, "restore_selected", [order], deleted="yes")
    assert said(answer) == [
        f"{order.code}: Line 2, Item: TEA Tea is deleted; restore it first."
    ]
