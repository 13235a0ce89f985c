"""The forms and query parameters of the page: the start of a run, and filters for runs
and entries."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from importer.models import ImportRun
from importer.package.shapes import Outcome
from importer.package.time_zones import UnknownTimeZone, named_zone
from importer.package.undo_results import UndoOutcome

DRY_RUN, IMPORT, CANCEL, RESTORE = "dry-run", "import", "cancel", "restore"
UNDO_DRY_RUN, UNDO = "undo-dry-run", "undo"
CHECK, DECLINE = "check", "decline"
# The filter that also shows unchanged objects, which are left out at first.
ALL = "all"
# The filter of rows that kept values, whatever their outcome.
KEPT = "kept"
_LONGEST_SEARCH = 200
# What files with tables are called; old workbooks are refused with a sentence.
TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".xls")


class ZoneField(forms.CharField):
    """The name of a time zone, empty for that of the user (OPEN-28)."""

    def __init__(self) -> None:
        super().__init__(required=False, max_length=64)

    def clean(self, value: Any) -> str:
        """Return the name; raise ValidationError for an unknown zone."""
        name = str(super().clean(value))
        try:
            return named_zone(name).key if name else ""
        except UnknownTimeZone as unknown:
            raise ValidationError(str(unknown)) from None


class StartForm(forms.Form):
    """The form that starts a run of an embedded package, an upload, a kept file, the plan
    of a dry run, or the package of a run again."""

    action = forms.ChoiceField(choices=[(DRY_RUN, DRY_RUN), (IMPORT, IMPORT)])
    plan = forms.UUIDField(required=False)
    again = forms.UUIDField(required=False)
    package = forms.CharField(required=False, max_length=200)
    digest = forms.RegexField(r"^[0-9a-f]{64}$", required=False)
    file = forms.FileField(required=False, allow_empty_file=True)
    continue_on_error = forms.BooleanField(required=False)
    time_zone = ZoneField()

    def clean(self) -> dict[str, Any]:
        """Refuse a start without a package."""
        wanted: dict[str, Any] = super().clean() or self.cleaned_data
        sources = ("plan", "again", "package", "digest", "file")
        if not any(wanted.get(name) for name in sources):
            raise ValidationError(_("Choose a package file first."))
        return wanted

    def sentence(self) -> str:
        """Return the errors as one sentence."""
        return " ".join(str(one) for some in self.errors.values() for one in some)


class HistoryForm(forms.Form):
    """The filter of the history; invalid values are ignored."""

    package = forms.CharField(required=False, strip=False)
    who = forms.CharField(required=False, strip=False)
    status = forms.ChoiceField(
        required=False, choices=[("", ""), *ImportRun.Status.choices]
    )
    how = forms.ChoiceField(
        required=False, choices=[("", ""), *ImportRun.StartedVia.choices]
    )
    day = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    page = forms.IntegerField(required=False, min_value=1)


class EntriesForm(forms.Form):
    """The filter of a report's entries; invalid values are ignored."""

    outcome = forms.ChoiceField(
        required=False,
        choices=[
            ("", ""),
            (ALL, ALL),
            (KEPT, KEPT),
            *((one.value, one.value) for one in (*Outcome, *UndoOutcome)),
        ],
    )
    search = forms.CharField(required=False, max_length=_LONGEST_SEARCH)
    step = forms.CharField(required=False, max_length=_LONGEST_SEARCH)
    page = forms.IntegerField(required=False, min_value=1, max_value=10_000_000)
    problems = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)


def is_table(name: str | None) -> bool:
    """Return whether a file of this name is a table and no package."""
    return (name or "").lower().endswith(TABLES)


def asked(form: forms.Form) -> dict[str, Any]:
    """Return the valid values of a form; invalid ones count as not given."""
    form.is_valid()
    return {name: form.cleaned_data.get(name) for name in form.fields}
