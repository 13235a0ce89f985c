"""The form of a table: what a person has chosen about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _, gettext_lazy

from importer.admin_page.forms import ZoneField
from importer.package.fields import TargetSpec
from importer.package.step_policies import OnMissing, OnUserModified
from importer.tables.cells import is_date_format
from importer.tables.chosen import ChosenTable
from importer.tables.csv_rows import is_delimiter
from importer.tables.description import TableDescription, property_names
from importer.tables.text_encoding import is_text_encoding

SHOW, SAVE, DRY_RUN, DELETE = "show", "save", "dry-run", "delete"
CONSTANT = "constant-"
_MOST_LINES = 1000
_LONGEST = 200


class TableForm(forms.Form):
    """The fields of the page for one table; those of its columns come beside them."""

    action = forms.ChoiceField(
        choices=[(one, one) for one in (SHOW, SAVE, DRY_RUN, DELETE)], required=False
    )
    file = forms.RegexField(r"^[0-9a-f]{64}$", required=False)
    source = forms.CharField(max_length=60, required=False)
    version = forms.IntegerField(required=False, min_value=1)
    target = forms.CharField(max_length=100, required=False)
    columns_of = forms.CharField(max_length=100, required=False)
    encoding = forms.CharField(max_length=50, required=False)
    # A tab is a delimiter, too.
    delimiter = forms.CharField(max_length=1, required=False, strip=False)
    decimal = forms.CharField(max_length=1, required=False)
    date_format = forms.CharField(max_length=20, required=False)
    sheet = forms.CharField(max_length=_LONGEST, required=False, strip=False)
    header_row = forms.IntegerField(
        label=gettext_lazy("Line of the headers"),
        required=False,
        min_value=0,
        max_value=_MOST_LINES,
    )
    on_user_modified = forms.ChoiceField(
        choices=[("", ""), *((one.value, one.value) for one in OnUserModified)],
        required=False,
    )
    on_missing = forms.ChoiceField(
        choices=[("", ""), *((one.value, one.value) for one in OnMissing)],
        required=False,
    )
    more = forms.CharField(max_length=_LONGEST, required=False)
    name = forms.CharField(max_length=_LONGEST, required=False)
    url = forms.CharField(max_length=1000, required=False)
    folder = forms.CharField(max_length=_LONGEST, required=False)
    processor = forms.CharField(max_length=_LONGEST, required=False)
    time_zone = ZoneField()

    def clean_encoding(self) -> str:
        """Refuse an encoding that doesn't exist."""
        return _checked(self.cleaned_data["encoding"], is_text_encoding)

    def clean_delimiter(self) -> str:
        """Refuse a delimiter that can't divide cells."""
        return _checked(self.cleaned_data["delimiter"], is_delimiter)

    def clean_decimal(self) -> str:
        """Refuse any other decimal mark than a comma and a point."""
        return _checked(self.cleaned_data["decimal"], ",.".__contains__)

    def clean_date_format(self) -> str:
        """Refuse a form that dates can't have."""
        return _checked(self.cleaned_data["date_format"], is_date_format)


def _checked(value: str, is_valid: Callable[[str], bool]) -> str:
    if value and not is_valid(value):
        raise ValidationError(_("this isn't one of the choices"))
    return value


class AskedTable(msgspec.Struct, frozen=True):
    """What a request asks of the page for one table, and the sentences about values of
    the form that are wrong; such values count as not given."""

    fields: Mapping[str, Any]
    columns: Mapping[str, str] | None
    constants: Mapping[str, Any]
    key: tuple[str, ...]
    wrong: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return self.fields.get(name)

    def chosen(self, saved: TableDescription | None, spec: TargetSpec) -> ChosenTable:
        """Return the choices for a target; names that it doesn't have are left out.

        Those about columns belong to the target that they were made for. A form that
        was sent takes precedence over the saved source.
        """
        target, names = spec.name, set(property_names(spec))
        how = saved or TableDescription(target, (), ())
        if how.target != target:
            how = TableDescription(target, (), (), name=how.name)
        if self.columns is None:
            return ChosenTable(how if saved else None)
        how = msgspec.structs.replace(
            how,
            encoding=self["encoding"] or None,
            delimiter=self["delimiter"] or None,
            decimal=self["decimal"] or None,
            date_format=self["date_format"] or None,
            sheet=self["sheet"] or None,
            header_row=self["header_row"],
            on_user_modified=self["on_user_modified"] or None,
            on_missing=self["on_missing"] or None,
        )
        if self["columns_of"] != target:
            return ChosenTable(how)
        columns = {h: p if p in names else "" for h, p in self.columns.items()}
        constants = {n: value for n, value in self.constants.items() if n in names}
        return ChosenTable(how, columns, constants, self.key)

    def require_distinct(self) -> None:
        """Raise ValidationError if two columns are the same property."""
        columns = self.columns or {}
        used = Counter(filter(None, columns.values()))
        for name, count in used.items():
            if count > 1:
                listed = [
                    f"“{one}”" for one, is_for in columns.items() if is_for == name
                ]
                sentence = _("%(columns)s are chosen for the same property; leave one.")
                raise ValidationError(sentence % {"columns": ", ".join(listed)})


def asked_table(given: QueryDict) -> AskedTable:
    """Return what a query or a form asks."""
    form = TableForm(given)
    form.is_valid()
    fields = {name: form.cleaned_data.get(name) for name in form.fields}
    headers, properties = given.getlist("header"), given.getlist("property")
    columns = None
    if headers and len(headers) == len(properties):
        columns = dict(zip(headers, properties, strict=True))
    constants = {
        name.removeprefix(CONSTANT): _constant(value)
        for name, value in given.items()
        if name.startswith(CONSTANT)
    }
    wrong = tuple(
        f"{form.fields[name].label or name}: {said}"
        for name, sentences in form.errors.items()
        for said in sentences
    )
    return AskedTable(fields, columns, constants, tuple(given.getlist("key")), wrong)


def _constant(value: Any) -> Any:
    """Return the value of all rows that a field of the form has."""
    return {"true": True, "false": False}.get(value, value)
