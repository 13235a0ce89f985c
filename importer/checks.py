"""System checks that report configuration errors before the first run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import checks
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import models
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string
from rest_framework.serializers import PrimaryKeyRelatedField

from importer import conf, registry
from importer.models import ImportMarked
from importer.models.mark import MARK_FIELDS
from importer.package.suggestions import did_you_mean
from importer.package.time_zones import UnknownTimeZone, named_zone
from importer.target_rows import TargetRows
from importer.targets import SerializerTarget

# What a run needs. A command that imports needn't check, and load, all URLs and pages.
RUNS: Final = "importer_runs"
_TYPES: Final = {
    "modified": models.DateTimeField,
    "deleted": models.BooleanField,
    "version": models.IntegerField,
}
_PAGE_NEEDS: Final = (
    "django.contrib.admin",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django_htmx",
)


@register("importer", RUNS)
def check_targets(**options: Any) -> list[CheckMessage]:
    """Check each registered target: its model, its columns and its serializer."""
    found: list[CheckMessage] = []
    for target in registry.targets().values():
        if isinstance(target, TargetRows):
            found += _model(target) or [*_columns(target), *_serializer(target)]
    return found


def _model(target: TargetRows) -> list[CheckMessage]:
    model = target.model
    if not issubclass(model, ImportMarked):
        return [
            Error(
                f"{target.name} is an import target, but its model isn't ImportMarked.",
                hint="Let the model inherit from importer.models.ImportMarked.",
                obj=model,
                id="importer.E001",
            )
        ]
    if isinstance(model._meta.pk, models.CompositePrimaryKey):
        return [
            Error(
                "The importer can't refer to rows by a composite primary key.",
                hint="Give the model a primary key of one column.",
                obj=model,
                id="importer.E002",
            )
        ]
    unique = [set(getattr(c, "fields", ())) for c in model._meta.constraints]
    if not any({"import_source", "import_key"} <= one for one in unique):
        return [
            Error(
                "Nothing keeps two rows of one imported object apart.",
                hint="Let the model's Meta inherit from ImportMarked.Meta, and add "
                "its constraints to your own.",
                obj=model,
                id="importer.E003",
            )
        ]
    return []


def _columns(target: TargetRows) -> Iterator[CheckMessage]:
    model = target.model
    fields = {field.name: field for field in model._meta.concrete_fields}
    for role, kind in _TYPES.items():
        name = getattr(target.columns, role)
        if name and not isinstance(fields.get(name), kind):
            what = f"isn't a {kind.__name__}" if name in fields else "doesn't exist"
            yield Error(
                f'The column "{name}", which is to be {role}, {what}.',
                hint=f"Give SerializerTarget the right name: {role}=…."
                + did_you_mean(name, fields, sentence=True),
                obj=model,
                id="importer.E004",
            )
    modified: Any = fields.get(target.columns.modified)
    if not _writes_plainly(target):
        return
    if not target.columns.modified:
        yield checks.Warning(
            "No column tells when a row was changed, so a package overwrites what "
            "users edit.",
            hint="Add modified = models.DateTimeField(auto_now=True), or name the "
            'column: SerializerTarget(…, modified="updated_at").',
            obj=model,
            id="importer.W001",
        )
    elif not getattr(modified, "auto_now", True) and _saves_plainly(model):
        yield checks.Warning(
            f'Saving a row doesn\'t move "{modified.name}", so a package overwrites '
            "what users edit.",
            hint="Add auto_now=True, or set the column in save().",
            obj=model,
            id="importer.W002",
        )


def _writes_plainly(target: TargetRows) -> bool:
    """Return whether the class uses the importer's own way of writing rows."""
    return type(target) is SerializerTarget


def _saves_plainly(model: type[models.Model]) -> bool:
    return model.save in (models.Model.save, ImportMarked.save)


def _serializer(target: TargetRows) -> Iterator[CheckMessage]:
    try:
        properties = target.spec.fields
    except (TypeError, LookupError) as wrong:
        yield Error(
            f"Packages can't be read by the serializer of {target.name}: {wrong}",
            hint="Register a target for each model it refers to, and use fields that "
            "importer.targets has.",
            obj=target.serializer,
            id="importer.E005",
        )
        return
    sources = {str(target.fields[each.name].source) for each in properties}
    yield from _unwritten(target, sources)
    for name, field in target.fields.items():
        if isinstance(field, PrimaryKeyRelatedField) and not field.read_only:
            yield checks.Warning(
                f'A dry run refuses "{name}" where it refers to a new row.',
                hint="Use importer.targets.WireSerializer, or a ReferenceField.",
                obj=target.serializer,
                id="importer.W003",
            )


def _unwritten(target: TargetRows, sources: set[str]) -> Iterator[CheckMessage]:
    """Yield the required columns that get no value."""
    model = target.model
    if not (_writes_plainly(target) and _saves_plainly(model)):
        return
    for field in model._meta.concrete_fields:
        given = {field.name, field.attname} & sources or field.name in MARK_FIELDS
        if given or field.primary_key or field.null or field.has_default():
            continue
        is_filled = getattr(field, "auto_now", False) or field.empty_strings_allowed
        if is_filled or getattr(field, "auto_now_add", False):
            continue
        if field.name not in (target.columns.modified, target.columns.version):
            yield checks.Warning(
                f'New rows have no value for "{field.name}", which needs one.',
                hint="Add it to the serializer, or give the column a default.",
                obj=model,
                id="importer.W004",
            )


@register("importer", RUNS)
def check_settings(**options: Any) -> list[CheckMessage]:
    """Check the dictionary ``IMPORTER``."""
    given = getattr(settings, "IMPORTER", {})
    found: list[CheckMessage] = [
        Error(
            f'The importer has no setting "{name}".'
            + did_you_mean(str(name), conf.names(), sentence=True),
            hint="The settings are: " + ", ".join(conf.names()) + ".",
            id="importer.E006",
        )
        for name in given
        if name not in conf.names()
    ]
    found += (
        Error(
            f'The value of the setting "{name}" of the importer is wrong: {wrong}',
            hint=f"Mend IMPORTER[{name!r}].",
            id="importer.E007",
        )
        for name, wrong in _wrong_values()
    )
    if not conf.configuration():
        found.append(
            checks.Warning(
                "This installation has no configuration, and a package must name it.",
                hint='Give it a name: IMPORTER = {"CONFIGURATION": "Shop"}.',
                id="importer.W005",
            )
        )
    return found


def _wrong_values() -> Iterator[tuple[str, str]]:
    try:
        named_zone(str(conf.setting("TIME_ZONE")))
    except UnknownTimeZone as wrong:
        yield "TIME_ZONE", str(wrong)
    for name in ("RUN_ENGINE", "UPLOAD_STORAGE"):
        path = conf.setting(name)
        try:
            if path:
                import_string(path)
        except ImportError as wrong:
            yield name, f"{wrong}."
    for name, least in (("MAX_PACKAGE_SIZE_BYTES", 1), ("RUNS_TO_KEEP", 0)):
        value = conf.setting(name)
        if type(value) is not int or value < least:
            yield name, f"it must be a whole number of at least {least}."


@register("importer", RUNS)
def check_users(**options: Any) -> list[CheckMessage]:
    """Check that the user model has names and rights."""
    model = get_user_model()
    missing = [n for n in ("has_perm", "is_superuser") if not hasattr(model, n)]
    return [
        Error(
            f'Imports ask users for "{name}", which {model.__name__} doesn\'t have.',
            hint="Let the user model inherit from "
            "django.contrib.auth.models.PermissionsMixin.",
            obj=model,
            id="importer.E008",
        )
        for name in missing
    ]


@register("importer", Tags.urls)
def check_page(**options: Any) -> list[CheckMessage]:
    """Check the requirements of the import page, if the project includes it."""
    if not getattr(settings, "ROOT_URLCONF", None):
        return []
    try:
        reverse("import-page")
    except NoReverseMatch:
        return []
    return [
        Error(
            f'The import page needs the app "{name}".',
            hint="Add it to INSTALLED_APPS; django_htmx comes with: "
            'pip install "django-import-packages[page]".',
            id="importer.E009",
        )
        for name in _PAGE_NEEDS
        if not apps.is_installed(name)
    ]
