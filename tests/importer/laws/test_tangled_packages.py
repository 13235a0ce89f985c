"""Packages whose objects depend on each other so closely that look-ups once were
wrong."""

from __future__ import annotations

import pytest

from catalogs.models import Item, UnitOfMeasure
from platform_site.records.services import create_record, delete_record, update_record
from tests.importer.laws.world import rolled_back, run, told

pytestmark = pytest.mark.django_db


def folder(identifier, **properties):
    return {
        "$id": identifier,
        "isFolder": True,
        "code": identifier.upper(),
        "name": identifier,
        **properties,
    }


def items(*objects, **keys):
    return [{"dictionary": "Items", "items": list(objects), **keys}]


@pytest.fixture
def create_folder(admin_user):
    def make(code, parent=None, **data):
        data = {"isFolder": True, "code": code, "name": code, **data}
        if parent is not None:
            data["parentId"] = parent.pk
        return create_record(model=Item, data=data, actor=admin_user)

    return make


def outcomes(report):
    return {one.id: one.outcome.value for one in report.items}


def all_ways(steps, user):
    """Run with all window sizes, dry and really; return the common result."""
    results = []
    for size in (1, 3, 1000):
        results.append(told(run(steps, user, window=size, dry_run=True)))
        with rolled_back():
            done = run(steps, user, window=size)
            results.append(told(done))
    assert all(result == results[0] for result in results), results
    return outcomes(done)


def test_adopting_a_folder_cannot_put_it_below_its_own_grandchild(
    admin_user, create_folder
):
    top = create_folder("A")
    middle = create_folder("B", top)
    create_folder("C", middle)
    steps = items(folder("a", parentId={"$code": "C"}), match=["code"])
    assert all_ways(steps, admin_user) == {"a": "Failed"}


def test_a_dry_run_detects_a_circle_through_unnamed_folders(admin_user):
    run(
        items(folder("a"), folder("b"), folder("c", parentId={"$ref": "a"})), admin_user
    )
    steps = items(
        folder("a", parentId={"$code": "B"}),
        folder("b", parentId={"$code": "C"}),
    )
    assert all_ways(steps, admin_user) == {"a": "Updated", "b": "Failed"}


def test_a_dry_run_sees_the_folder_restored_before_its_child(admin_user):
    first = items(folder("a"), folder("b", parentId={"$ref": "a"}))
    run(first, admin_user)
    for code in "BA":
        delete_record(row=Item.objects.get(code=code), actor=admin_user)
    steps = items(folder("a"), folder("b"), onDeleted="restore", onChange="skip")
    assert all_ways(steps, admin_user) == {"a": "Restored", "b": "Restored"}


def test_a_match_by_folder_finds_the_row_in_a_folder_adopted_just_before(
    admin_user, create_folder
):
    run(items(folder("top")), admin_user)
    parent = create_folder("X", Item.objects.get(code="TOP"), name="one")
    create_folder("Y", parent, name="two")
    steps = [
        *items(folder("top")),
        *items(
            folder("x", name="one", code="X", parentId={"$ref": "top"}),
            folder("y", name="two", code="Y", parentId={"$ref": "x"}),
            match=["name", "parentId"],
        ),
    ]
    assert all_ways(steps, admin_user) == {
        "top": "Unchanged",
        "x": "Adopted",
        "y": "Adopted",
    }


def test_of_two_objects_that_match_a_row_only_the_first_adopts_it(
    admin_user, create_folder
):
    create_folder("X", name="one")
    objects = [folder("x", name="one"), folder("y", name="one")]
    steps = items(*objects, match=["name"])
    assert all_ways(steps, admin_user) == {"x": "Adopted", "y": "Inserted"}


def test_a_row_that_is_only_restored_keeps_its_hash(admin_user):
    first = items(folder("a", name="one"))
    run(first, admin_user)
    row = Item.objects.get(code="A")
    delete_record(row=row, actor=admin_user)
    changed = items(folder("a", name="two"), onDeleted="restore", onChange="skip")
    assert all_ways(changed, admin_user) == {"a": "Restored"}
    run(changed, admin_user)
    after = Item.objects.live().get(code="A")
    assert (after.name, after.import_source_hash) == ("one", row.import_source_hash)
    assert all_ways(changed, admin_user) == {"a": "SkippedDrift"}


def test_a_match_by_folder_finds_the_folder_recoded_just_before(
    admin_user, create_folder
):
    run(items(folder("x")), admin_user)
    create_folder("Y", Item.objects.get(code="X"), name="two")
    steps = items(
        folder("x", code="NEW"),
        folder("y", name="two", parentId={"$code": "NEW"}),
        match=["name", "parentId"],
    )
    steps[0]["items"][0]["parentId"] = None
    assert all_ways(steps, admin_user) == {"x": "Updated", "y": "Adopted"}


@pytest.mark.parametrize("units", [10**5, 10**30, -1])
def test_an_impossible_match_value_fails_only_its_object(admin_user, units):
    currency = {"$id": "c", "code": "C", "name": "C", "minorUnits": units}
    good = {"$id": "d", "code": "D", "name": "D", "minorUnits": 2}
    steps = [
        {"dictionary": "Currencies", "items": [currency, good], "match": ["minorUnits"]}
    ]
    assert all_ways(steps, admin_user) == {"c": "Failed", "d": "Inserted"}


def test_two_objects_cannot_exchange_their_codes_but_one_may_follow(admin_user):
    def unit(identifier, code):
        return {"$id": identifier, "code": code, "name": "n"}

    def package(*units):
        return [{"dictionary": "UnitsOfMeasure", "items": list(units)}]

    run(package(unit("a", "A"), unit("b", "B")), admin_user)
    exchanged = package(unit("a", "B"), unit("b", "A"))
    assert all_ways(exchanged, admin_user) == {"a": "Failed", "b": "Failed"}
    following = package(unit("a", "C"), unit("b", "A"))
    assert all_ways(following, admin_user) == {"a": "Updated", "b": "Updated"}


def test_the_code_of_a_row_deleted_by_a_user_is_free_and_prevents_its_restoration(
    admin_user,
):
    unit = {"$id": "a", "code": "A", "name": "n"}
    steps = [{"dictionary": "UnitsOfMeasure", "items": [unit]}]
    run(steps, admin_user)
    delete_record(row=UnitOfMeasure.objects.get(code="A"), actor=admin_user)
    create_record(
        model=UnitOfMeasure, data={"code": "A", "name": "other"}, actor=admin_user
    )
    restoring = [{**steps[0], "onDeleted": "restore"}]
    assert all_ways(restoring, admin_user) == {"a": "Failed"}
    other = UnitOfMeasure.objects.live().get(code="A")
    update_record(row=other, data={"code": "B"}, actor=admin_user)
    assert all_ways(restoring, admin_user) == {"a": "Restored"}
