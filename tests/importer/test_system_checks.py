"""The system checks for projects that reuse the importer."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.db import models
from django.test.utils import isolate_apps
from rest_framework.serializers import JSONField, ModelSerializer

from importer import checks, registry
from importer.models import ImportMarked, ImportRun
from importer.targets import SerializerTarget, WireSerializer


class Meta(ImportMarked.Meta):
    app_label = "importer"


def found(
    monkeypatch, model, fields=("code",), *, more=None, base=WireSerializer, **columns
):
    """Return the numbers of the checks that fail for a target, and read their hints."""
    meta = type("Meta", (), {"model": model, "fields": fields})
    serializer = type("OwnSerializer", (base,), {"Meta": meta, **(more or {})})
    target = SerializerTarget(model, serializer, name="Things", **columns)
    monkeypatch.setattr(registry, "_targets", {"Things": target})
    told = checks.check_targets()
    assert all(one.hint for one in told)
    return [one.id for one in told]


def model_of(base=ImportMarked, **members):
    columns = {"code": models.CharField(max_length=9), "Meta": Meta, **members}
    return type("Thing", (base,), {"__module__": __name__, **columns})


def changed():
    return models.DateTimeField(auto_now=True)


@pytest.fixture(autouse=True)
def apart():
    with isolate_apps("importer"):
        yield


@pytest.mark.parametrize(
    ("name", "column"),
    [("modified", "modified"), ("updated_at", "updated_at"), ("at", "at")],
)
def test_a_model_whose_time_changes_with_each_save_is_valid(monkeypatch, name, column):
    model = model_of(**{column: changed()})
    assert found(monkeypatch, model, modified=name) == []


def test_a_model_without_the_mark_is_an_error(monkeypatch):
    class Meta:
        app_label = "importer"

    plain = model_of(base=models.Model, Meta=Meta)
    assert found(monkeypatch, plain) == ["importer.E001"]


def test_a_composite_primary_key_is_an_error(monkeypatch):
    key = models.CompositePrimaryKey("code", "number")
    model = model_of(pk=key, number=models.IntegerField(), modified=changed())
    assert found(monkeypatch, model) == ["importer.E002"]


def test_a_meta_that_drops_the_constraint_of_the_mark_is_an_error(monkeypatch):
    class Meta:
        app_label = "importer"

    model = model_of(Meta=Meta, modified=changed())
    assert found(monkeypatch, model) == ["importer.E003"]


@pytest.mark.parametrize("role", ["modified", "deleted", "version"])
@pytest.mark.parametrize("name", ["codes", "code"])
def test_a_column_that_is_missing_or_of_another_type_is_an_error(
    monkeypatch, role, name
):
    model = model_of(modified=changed())
    assert "importer.E004" in found(monkeypatch, model, **{role: name})


def test_a_field_that_no_package_can_fill_is_an_error(monkeypatch):
    model = model_of(modified=changed(), data=models.JSONField(default=dict))
    fields, more = ("code", "data"), {"data": JSONField()}
    assert found(monkeypatch, model, fields, more=more) == ["importer.E005"]


def test_a_reference_to_a_model_without_target_is_an_error(monkeypatch):
    other = models.ForeignKey(ImportRun, models.PROTECT)
    model = model_of(modified=changed(), run=other)
    assert "importer.E005" in found(
        monkeypatch, model, ("code", "run"), base=ModelSerializer
    )


def test_a_model_without_a_time_of_change_gives_a_warning(monkeypatch):
    assert found(monkeypatch, model_of()) == ["importer.W001"]


def test_a_time_that_no_save_changes_gives_a_warning(monkeypatch):
    at = models.DateTimeField(null=True)
    assert found(monkeypatch, model_of(modified=at)) == ["importer.W002"]


def test_a_time_that_the_model_sets_itself_is_valid(monkeypatch):
    at = models.DateTimeField(null=True)
    model = model_of(modified=at, save=lambda self, **options: None)
    assert found(monkeypatch, model) == []


def test_a_reference_that_queries_the_database_gives_a_warning(monkeypatch):
    parent = models.ForeignKey("self", models.PROTECT, null=True)
    model = model_of(modified=changed(), parent=parent)
    fields = ("code", "parent")
    assert found(monkeypatch, model, fields, base=ModelSerializer) == ["importer.W003"]
    assert found(monkeypatch, model, fields) == []


def test_an_unfilled_column_gives_a_warning(monkeypatch):
    model = model_of(modified=changed(), price=models.IntegerField())
    assert found(monkeypatch, model) == ["importer.W004"]
    assert found(monkeypatch, model, ("code", "price")) == []


@pytest.mark.parametrize(
    ("given", "number", "told"),
    [
        ({"CONFIGURATION": "A", "TIMEZONE": "UTC"}, "importer.E006", '"TIME_ZONE"?'),
        ({"CONFIGURATION": "A", "TIME_ZONE": "Nowhere/At"}, "importer.E007", "Nowhere"),
        ({"CONFIGURATION": "A", "RUN_ENGINE": "a.B"}, "importer.E007", "a"),
        ({"CONFIGURATION": "A", "RUNS_TO_KEEP": -1}, "importer.E007", "at least 0"),
        ({}, "importer.W005", "configuration"),
    ],
)
def test_wrong_settings_are_reported(settings, given, number, told):
    settings.IMPORTER = given
    [one] = checks.check_settings()
    assert one.id == number
    assert told in one.msg
    assert one.hint


def test_valid_settings_give_no_message(settings):
    settings.IMPORTER = {"CONFIGURATION": "A"}
    assert checks.check_settings() == []


def test_a_user_model_without_rights_is_an_error(monkeypatch):
    monkeypatch.setattr(checks, "get_user_model", lambda: AbstractBaseUser)
    assert {one.id for one in checks.check_users()} == {"importer.E008"}


def test_a_page_without_its_apps_is_an_error(monkeypatch):
    monkeypatch.setattr(checks.apps, "is_installed", lambda name: name != "django_htmx")
    [one] = checks.check_page()
    assert one.id == "importer.E009"
    assert '"django_htmx"' in one.msg
