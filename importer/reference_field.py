"""The serializer field of references: keys of other rows, or their codes outside of
runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from importer import sentences
from importer.columns import is_deleted
from importer.package.printable_text import printable
from importer.package.references import BY_CODE

_MAX_KEY_DIGITS = 18


class ReferenceField(serializers.Field[Any, Any, Any, Any]):
    """The key of a row of another table, looked up as the run requires.

    It accepts an integer or a text of at most 18 digits: ``int`` of a decimal such as
    1E3000000 would practically never return.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        **sentences.ANY,
        "incorrect_type": _("A reference is the id of a row: a whole number."),
        "neither": _(
            'A reference is the id of a row, or {{"$code": "…"}} with the code of one.'
        ),
        "no_such_code": _('There is no row with the code "{code}".'),
        "several_rows": _('Several rows have the code "{code}"; send the id of one.'),
        "may_not_view": _(
            "You may not view {rows}, so you can't refer to them by code; send the id."
        ),
        "does_not_exist": _("There is no row with the id {id}."),
        "deleted": _("{row} is deleted; restore it first."),
    }

    def __init__(self, *, to: type[models.Model], **kwargs: Any) -> None:
        self.to = to
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> Any:
        """Return the key of an existing row."""
        if isinstance(data, dict):
            data = self._coded(data)
        if type(data) is str and data.isascii() and data.isdigit():
            data = int(data) if len(data) <= _MAX_KEY_DIGITS else None
        if type(data) is not int or abs(data) >= 10**_MAX_KEY_DIGITS:
            self.fail("neither" if self._takes_codes else "incorrect_type")
        lookup = self.context.get("lookup")
        if lookup is None:
            row = self.to._base_manager.filter(pk=data).first()
        else:
            row = lookup.row(self.to, data)
        if row is None:
            self.fail("does_not_exist", id=data)
        if is_deleted(row) and row.pk != self._present():
            name = str(row) if lookup is None else lookup.name(row)
            self.fail("deleted", row=name)
        # In a run the key may be replaced by a number.
        return row.pk

    @property
    def _takes_codes(self) -> bool:
        """Return whether a row may also be named by its code: outside of runs, which
        replace codes themselves."""
        return hasattr(self.context.get("lookup"), "coded")

    def _coded(self, data: dict[str, Any]) -> Any:
        """Return the key of the row with a code, also of a deleted one if no other has
        the code."""
        code = given_code(data)
        if code is None or not self._takes_codes:
            return None
        lookup = self.context["lookup"]
        if not lookup.may_see(self.to):
            self.fail("may_not_view", rows=self.to._meta.verbose_name_plural)
        found = lookup.coded(self.to, code)
        live = [row for row in found if not is_deleted(row)]
        if not found:
            self.fail("no_such_code", code=printable(code))
        if len(live) > 1:
            self.fail("several_rows", code=printable(code))
        return (live or found)[0].pk

    def _present(self) -> Any:
        """Return the current reference of the row, which may stay as it is."""
        instance = getattr(self.parent, "instance", None)
        return getattr(instance, str(self.source), None)

    def to_representation(self, value: int) -> int:
        """Return the key."""
        return value


def given_code(value: Any) -> str | None:
    """Return the code in ``{"$code": …}``, None for any other value."""
    if type(value) is not dict or value.keys() != {BY_CODE}:
        return None
    code = value[BY_CODE]
    return code if isinstance(code, str) else None


def load_references(
    lines: Iterable[Any], fields: Mapping[str, Any], lookup: Any
) -> None:
    """Load the rows that all lines refer to at once, if the look-up can."""
    load = getattr(lookup, "load", None)
    load_coded = getattr(lookup, "load_coded", None)
    if load is None:
        return
    for name, field in fields.items():
        if isinstance(field, ReferenceField):
            given = [line.get(name) for line in lines if isinstance(line, dict)]
            load(field.to, {key for key in given if type(key) is int})
            codes = {code for value in given if (code := given_code(value))}
            if codes and load_coded is not None:
                load_coded(field.to, codes)
