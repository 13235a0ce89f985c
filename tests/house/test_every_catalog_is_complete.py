"""Every kind of business row has all it needs: wire form, page and import target."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import reverse

from importer import registry
from platform_site.records import wire
from platform_site.records.admin import RecordAdmin
from platform_site.records.models import Record

# A row per name and date, entered by hand alone.
NO_TARGET = {"Constants"}


def kinds(base=Record):
    for kind in base.__subclasses__():
        if not kind._meta.abstract:
            yield kind
        yield from kinds(kind)


KINDS = [pytest.param(kind, id=kind.__name__) for kind in kinds()]


def test_there_are_kinds_of_rows_to_check():
    names = {kind.catalog_name for kind in kinds()}
    assert {"Items", "Warehouses", "BankAccounts"} <= names
    assert len(names) == len(list(kinds()))


@pytest.mark.parametrize("kind", KINDS)
def test_it_has_a_wire_form_of_its_own(kind):
    assert wire.serializer_of(kind).Meta.model is kind


@pytest.mark.parametrize("kind", KINDS)
def test_it_has_pages_that_go_through_the_services(kind):
    assert isinstance(admin.site.get_model_admin(kind), RecordAdmin)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_its_list_and_its_empty_page_open(kind, admin_client):
    for page in ("changelist", "add"):
        path = reverse(f"admin:{kind._meta.app_label}_{kind._meta.model_name}_{page}")
        assert admin_client.get(path).status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_it_can_be_imported_unless_only_users_enter_it(kind):
    has_target = kind.catalog_name in registry.targets()
    assert has_target is (kind.catalog_name not in NO_TARGET)
    if has_target:
        assert registry.targets()[kind.catalog_name].model is kind
