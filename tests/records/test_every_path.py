"""Whichever way a row is written: each of its rules is asked once, one change event is
recorded, and the right is required. Fast ways leave none of them out."""

from __future__ import annotations

from collections import Counter

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from rest_framework.test import APIClient

from catalogs.models import Item
from importer import services as imports
from importer.services import ImportOptions
from platform_site.changes.models import ChangeEvent
from platform_site.records import services
from tests.builders import a_package, code, stream
from tests.catalogs.rows import a_unit, boss
from tests.processing.users import a_person
from tests.records.pages import add, save, url

pytestmark = [pytest.mark.django_db, pytest.mark.counts]
CODES = ["A", "B", "C"]


@pytest.fixture
def unit(db):
    return a_unit(code="pcs")


@pytest.fixture
def asked(monkeypatch):
    """Return how often each rule of items was asked about each code."""
    found = Counter()
    for rule in Item.rules:
        kind, check = type(rule), type(rule).check

        def counted(self, change, *args, check=check, kind=kind):
            found[kind.__name__] += 1
            return check(self, change, *args)

        monkeypatch.setattr(kind, "check", counted)
    return found


def values(name, unit, **more):
    return {
        "isFolder": False,
        "code": name,
        "name": name,
        "category": "goods",
        "unitOfMeasureId": unit.pk,
        **more,
    }


def package(**more):
    built = a_package("paths").with_step("Items")
    for name in CODES:
        built.goods(f"item:{name}", name, code("pcs"), name=name, **more)
    return built


def by_services(user, unit):
    for name in CODES:
        services.create_record(model=Item, data=values(name, unit), actor=user)


def by_saves(_user, unit):
    for name in CODES:
        row = Item(code=name, name=name, is_folder=False, category="goods")
        row.unit_of_measure = unit
        row.save()


def over_http(user, unit):
    client = APIClient()
    client.force_authenticate(user)
    for name in CODES:
        client.post("/api/v1/Items", values(name, unit), format="json")


def on_pages(user, unit):
    client = Client()
    client.force_login(user)
    for name in CODES:
        add(
            client,
            Item,
            code=name,
            name=name,
            category="goods",
            unit_of_measure=unit.pk,
        )


def by_import(user, _unit):
    imports.import_package(stream(package()), ImportOptions(), user=user)


def by_plan(user, _unit):
    dry = imports.import_package(
        stream(package()), ImportOptions(dry_run=True), user=user
    )
    if dry.counts["Inserted"]:
        imports.import_plan(dry.run_id, ImportOptions(), user=user)


WITH_RIGHTS = [by_services, over_http, on_pages, by_import, by_plan]


@pytest.mark.parametrize("path", [*WITH_RIGHTS, by_saves])
def test_each_row_is_judged_and_recorded_once(path, unit, asked):
    path(boss(), unit)
    assert Item.objects.count() == len(CODES)
    events = ChangeEvent.objects.filter(model="Items")
    assert list(events.values_list("action", flat=True)) == ["created"] * len(CODES)
    # A dry run judges as well, and its plan judges again what it writes.
    times = 2 if path is by_plan else 1
    names = {type(rule).__name__ for rule in Item.rules}
    assert asked == dict.fromkeys(names, times * len(CODES))


@pytest.mark.parametrize("path", WITH_RIGHTS)
def test_without_the_right_nothing_is_written(path, unit):
    person = a_person(is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="view_item"))
    try:
        path(person, unit)
    except services.NotAllowed:
        pass
    assert not Item.objects.exists()
    assert not ChangeEvent.objects.filter(model="Items").exists()


def change_by_services(user):
    for row in Item.objects.order_by("code"):
        services.update_record(row=row, data={"price": "2"}, actor=user)


def change_on_pages(user):
    client = Client()
    client.force_login(user)
    for row in Item.objects.order_by("code"):
        assert save(client, row, price="2").url == url(row, "row")


def change_by_import(user):
    imports.import_package(stream(package(price="2")), ImportOptions(), user=user)


CHANGES = [change_by_services, change_on_pages, change_by_import]


@pytest.mark.parametrize("path", CHANGES)
def test_each_change_is_judged_and_recorded_once(path, unit, asked):
    by_import(boss(), unit)
    asked.clear()
    path(boss())
    events = ChangeEvent.objects.filter(model="Items", action="updated")
    assert events.count() == len(CODES)
    assert set(asked.values()) == {len(CODES)}
