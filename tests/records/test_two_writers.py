"""Two people at once, on two connections: nobody refers to what the other deletes, and no
two moves close a circle of folders (OPEN-20)."""

from __future__ import annotations

from contextlib import contextmanager
from unittest import mock

import pytest
from django.db.models import QuerySet

from catalogs.models import Account, Item
from documents import services as documents
from documents.registers.ledger import LedgerEntry
from platform_site.changes import services as changes
from platform_site.records import services
from platform_site.records.errors import InUse, Refusal
from tests.catalogs.rows import a_folder, a_row, a_unit, an_item, boss, stored
from tests.documents.rows import World, sentences
from tests.live_references import assert_references_live
from tests.two_connections import Elsewhere, before_each, elsewhere

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def meanwhile(deed, **what):
    """Let another person do something between what a write is judged by and the write."""

    def once(*args, **kwargs):
        if not done:
            done.append(None)
            done[0] = elsewhere(deed, **what)

    done = []
    with before_each(services, "commit", once):
        yield done


@contextmanager
def at_the_end(deed, **what):
    """Let another person begin once all is written and nothing committed."""
    begun, original = [], changes.insert_row

    def recorded(*args, **kwargs):
        original(*args, **kwargs)
        if not begun:
            begun.append(Elsewhere(deed, **what))
            begun[0].end_or_wait()

    with mock.patch.object(changes, "insert_row", recorded):
        yield begun
    begun[0].end()


def refused(deed, **what):
    with pytest.raises(Refusal) as refusal:
        deed(**what)
    return sentences(refusal)


def as_item(unit, **values):
    return {
        "model": Item,
        "actor": boss(),
        "data": {
            "code": "I",
            "name": "Item",
            "isFolder": False,
            "category": "goods",
            "unitOfMeasureId": unit.pk,
            **values,
        },
    }


def test_a_row_that_was_deleted_since_it_was_looked_at_is_not_referred_to():
    unit, actor = a_unit(code="kg", name="kilogram"), boss()
    with meanwhile(services.delete_record, row=stored(unit), actor=actor):
        found = refused(services.create_record, **as_item(unit))
    assert found == {"unitOfMeasureId": "kg kilogram is deleted; restore it first."}
    assert not Item.objects.exists()


def test_a_row_that_was_erased_since_it_was_looked_at_is_not_referred_to():
    unit, actor = a_unit(), boss()
    with meanwhile(services.erase_record, row=stored(unit), actor=actor):
        found = refused(services.create_record, **as_item(unit))
    assert found == {"unitOfMeasureId": f"There is no row with the id {unit.pk}."}


def test_a_folder_that_was_deleted_since_takes_no_row():
    unit, folder, actor = a_unit(), a_folder(code="F", name="Garden"), boss()
    item = an_item(unitOfMeasureId=unit.pk)
    sentence = {"parentId": "F Garden is deleted; restore it first."}
    with meanwhile(services.delete_record, row=stored(folder), actor=actor):
        move = {"row": item, "data": {"parentId": folder.pk}, "actor": actor}
        assert refused(services.update_record, **move) == sentence
    assert_references_live()


def test_a_folder_that_became_an_item_since_takes_no_row():
    unit, folder = a_unit(), a_folder(code="F", name="Garden")
    # No rule allows it: what makes sure at the end does not rely on them.
    with meanwhile(QuerySet(Item).filter(pk=folder.pk).update, is_folder=False):
        found = refused(services.create_record, **as_item(unit, parentId=folder.pk))
    assert found == {"parentId": "F Garden can't be named here."}


def test_a_row_is_not_restored_once_its_reference_went():
    unit, actor = a_unit(code="kg", name="kilogram"), boss()
    item = an_item(unitOfMeasureId=unit.pk)
    services.delete_record(row=item, actor=actor)
    with meanwhile(services.delete_record, row=stored(unit), actor=actor):
        found = refused(services.restore_record, row=stored(item), actor=actor)
    assert found == {"unitOfMeasureId": "kg kilogram is deleted; restore it first."}
    assert_references_live()


def test_whoever_deletes_waits_for_the_row_that_is_about_to_refer_to_it():
    unit, actor = a_unit(), boss()
    with at_the_end(services.delete_record, row=stored(unit), actor=actor) as other:
        services.create_record(**as_item(unit))
    assert isinstance(other[0].result, InUse)
    assert_references_live()


def test_whoever_refers_waits_for_the_deletion_of_the_row():
    unit, actor = a_unit(code="kg", name="kilogram"), boss()
    with at_the_end(services.create_record, **as_item(unit)) as other:
        services.delete_record(row=unit, actor=actor)
    assert isinstance(other[0].result, Refusal)
    (problem,) = other[0].result.problems
    assert problem.message == "kg kilogram is deleted; restore it first."
    assert_references_live()


def test_two_moves_one_after_the_other_close_no_circle():
    one, two, actor = a_folder(), a_folder(), boss()
    back = {"row": stored(two), "data": {"parentId": one.pk}, "actor": actor}
    with meanwhile(services.update_record, **back):
        move = {"row": one, "data": {"parentId": two.pk}, "actor": actor}
        found = refused(services.update_record, **move)
    assert found == {"parentId": "A folder can't be inside itself."}
    assert_references_live()


def test_two_moves_at_once_close_no_circle():
    one, two, three, actor = a_folder(), a_folder(), a_folder(), boss()
    inner = {"row": three, "data": {"parentId": two.pk}, "actor": actor}
    services.update_record(**inner)
    back = {"row": stored(two), "data": {"parentId": one.pk}, "actor": actor}
    with at_the_end(services.update_record, **back) as other:
        move = {"row": one, "data": {"parentId": three.pk}, "actor": actor}
        services.update_record(**move)
    assert isinstance(other[0].result, Refusal)
    assert_references_live()


@pytest.mark.parametrize("reference", ["rice", "partner", "main", "eur"])
def test_posting_looks_at_the_rows_as_they_are_now(reference):
    world, actor = World(), boss()
    receipt = world.receipt((world.rice, 1, 1), post=False)
    named = stored(getattr(world, reference))

    # As installations of 0.1 may have it: nobody deletes what is in use today.
    elsewhere(QuerySet(type(named)).filter(pk=named.pk).update, is_deleted=True)
    (sentence,) = refused(documents.post, row=receipt, actor=actor).values()
    assert sentence == f"{named} is deleted; restore it first."
    assert not stored(receipt).is_active


def test_a_line_about_an_item_that_was_deleted_since_is_refused():
    world, actor = World(), boss()
    gone = meanwhile(services.delete_record, row=stored(world.tea), actor=actor)
    with gone, pytest.raises(Refusal) as refusal:
        world.order((world.rice, 1, 1), (world.tea, 1, 1))
    assert sentences(refusal) == {
        "lines[1].itemId": "TEA Tea is deleted; restore it first."
    }
    assert_references_live()


def test_an_item_that_a_line_is_about_to_name_is_not_deleted():
    world, actor = World(), boss()
    with at_the_end(
        services.delete_record, row=stored(world.tea), actor=actor
    ) as other:
        world.order((world.tea, 1, 1))
    assert isinstance(other[0].result, InUse)


def test_no_entry_names_an_account_that_is_deleted_while_its_document_is_posted():
    world = World()
    account = a_row(Account, isFolder=False, role="bank")
    payment = world.payment("5", post=False)
    deletion = []

    def begin(*args, **kwargs):
        deletion.append(
            Elsewhere(services.delete_record, row=stored(account), actor=boss())
        )
        deletion[0].end_or_wait()

    with before_each(LedgerEntry.objects, "insert", begin):
        documents.post(row=payment, actor=boss())
    assert isinstance(deletion[0].end(), InUse)
    assert LedgerEntry.objects.filter(account=account).exists()
    assert not stored(account).is_deleted
