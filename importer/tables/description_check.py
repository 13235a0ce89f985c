"""The check of a description from JSON: every error with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from importer.package.fields import FieldKind, TargetSpec
from importer.package.printable_text import printable
from importer.package.step_policies import OnChange, OnMissing, OnUserModified
from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _
from importer.package.wire_values import is_identifier, not_an_identifier, short
from importer.tables.cells import is_date_format
from importer.tables.csv_rows import is_delimiter
from importer.tables.description import (
    BY_CODE,
    BY_INDENT,
    BY_PATH,
    TableColumn,
    TableDescription,
    field_of,
    property_names,
)
from importer.tables.text_encoding import is_text_encoding

_LONGEST = 200
_LONGEST_NAME = 100
_MOST = 1000
_TEXTS = ("name", "encoding", "delimiter", "decimal", "dateFormat", "sheet")
_LISTS = ("key", "groupBy", "match")
_CHOICES: dict[str, tuple[str, ...]] = {
    "kind": ("dictionary", "document"),
    "format": ("csv", "xlsx"),
    "decimal": (",", "."),
    "onChange": tuple(OnChange),
    "onUserModified": tuple(OnUserModified),
    "onMissing": tuple(OnMissing),
}
_OTHERS = ("target", "headerRow", "columns")
# Keys of a saved source, which don't say how a table is read.
_OF_SOURCES = ("origin", "enabled")
_COLUMN = ("column", "property", "lookup", "values", "default", "separator")
_LOOKUPS = (BY_CODE, BY_PATH, BY_INDENT)


class DescriptionRefused(Exception):
    """The refusal of a description, with the sentences by their places."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors = dict(errors)
        super().__init__("; ".join(f"{at}: {said}" for at, said in errors.items()))


def description_of(
    given: Any, specs: Mapping[str, TargetSpec], target: str = ""
) -> TableDescription:
    """Return the description in a JSON value; raise DescriptionRefused.

    ``target`` is used if the description names none.
    """
    return _Check(specs).description(given, target)


class _Check:
    """The check of one description."""

    def __init__(self, specs: Mapping[str, TargetSpec]) -> None:
        self._specs = specs
        self._errors: dict[str, str] = {}

    def description(self, given: Any, target: str) -> TableDescription:
        if not isinstance(given, dict):
            raise DescriptionRefused({"$": _("a description must be a JSON object")})
        known = (*_TEXTS, *_LISTS, *_CHOICES, *_OTHERS, *_OF_SOURCES)
        self._unknown(given, known, "")
        texts = {key: self._text(given, key) for key in (*_TEXTS, *_CHOICES)}
        for key, choices in _CHOICES.items():
            self._choice(key, texts[key], choices)
        self._formats(texts)
        spec = self._target({"target": target, **given}, texts["kind"])
        columns = self._columns(given.get("columns"), spec)
        lists = {key: self._names(given, key) for key in _LISTS}
        if spec is not None:
            self._relations(spec, columns, lists)
        row = given.get("headerRow")
        if row is not None and (type(row) is not int or not 0 <= row <= _MOST):
            self._say("headerRow", _("must be a line from 0 to %(most)s"), most=_MOST)
        if self._errors or spec is None:
            raise DescriptionRefused(self._errors)
        return TableDescription(
            target=spec.name,
            columns=columns,
            key=lists["key"] or lists["groupBy"],
            name=texts["name"] or "",
            format=texts["format"],
            encoding=texts["encoding"],
            delimiter=texts["delimiter"],
            decimal=texts["decimal"],
            date_format=texts["dateFormat"],
            sheet=texts["sheet"],
            header_row=row,
            group_by=lists["groupBy"],
            match=lists["match"],
            on_change=texts["onChange"],
            on_user_modified=texts["onUserModified"],
            on_missing=texts["onMissing"],
        )

    def _say(self, path: str, sentence: str, **words: Any) -> None:
        self._errors.setdefault(printable(path), printable(sentence % words))

    def _unknown(self, given: Mapping[str, Any], known: Iterable[str], at: str) -> None:
        for key in given:
            if key not in known:
                hint = did_you_mean(key, known)
                self._say(
                    f"{at}{key[:_LONGEST]}", "%(text)s", text=_("unknown key") + hint
                )

    def _text(self, given: Mapping[str, Any], key: str, at: str = "") -> str | None:
        value = given.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value or len(value) > _LONGEST:
            self._say(
                f"{at}{key}",
                _("must be a text of 1 to %(most)s characters"),
                most=_LONGEST,
            )
            return None
        return value

    def _choice(self, path: str, value: str | None, choices: tuple[str, ...]) -> None:
        if value is not None and value not in choices:
            listed = ", ".join(choices)
            sentence = _("must be one of %(choices)s, not %(value)s")
            self._say(path, sentence, choices=listed, value=short(value))

    def _formats(self, texts: Mapping[str, str | None]) -> None:
        name, delimiter = texts["name"], texts["delimiter"]
        if name and (len(name) > _LONGEST_NAME or not is_identifier(name)):
            reason = (
                not_an_identifier(name)
                if len(name) <= _LONGEST_NAME
                else _("is too long")
            )
            self._say("name", "%(text)s", text=reason)
        if delimiter and not is_delimiter(delimiter):
            self._say("delimiter", _("must be one character, for example ; or a tab"))
        if not is_text_encoding(texts["encoding"] or "utf-8"):
            self._say("encoding", _("there is no encoding of this name"))
        if not is_date_format(texts["dateFormat"] or "YYYY-MM-DD"):
            self._say(
                "dateFormat",
                _("must have YYYY or YY, MM and DD, for example DD.MM.YYYY"),
            )

    def _target(self, given: Mapping[str, Any], kind: str | None) -> TargetSpec | None:
        name = given["target"]
        spec = self._specs.get(name) if isinstance(name, str) else None
        if spec is None or spec.kind not in _CHOICES["kind"]:
            known = [s.name for s in self._specs.values() if s.kind in _CHOICES["kind"]]
            hint = did_you_mean(name, known)
            self._say(
                "target",
                "%(text)s",
                text=_("no table can be imported into this") + hint,
            )
            return None
        if kind in _CHOICES["kind"] and kind != spec.kind:
            self._say(
                "kind", _("%(target)s is a %(kind)s"), target=spec.name, kind=spec.kind
            )
        return spec

    def _names(self, given: Mapping[str, Any], key: str) -> tuple[str, ...]:
        value = given.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            self._say(key, _("must be a list of names of properties"))
            return ()
        return tuple(dict.fromkeys(value))

    def _columns(self, given: Any, spec: TargetSpec | None) -> tuple[TableColumn, ...]:
        if not isinstance(given, list) or not 0 < len(given) <= _MOST:
            self._say("columns", _("must be a list of columns"))
            return ()
        found = [
            self._column(f"columns[{n}]", one, spec) for n, one in enumerate(given)
        ]
        taken: dict[str, int] = {}
        for number, column in enumerate(found):
            if column and taken.setdefault(column.property, number) != number:
                sentence = _("columns[%(other)s] is the same property")
                self._say(
                    f"columns[{number}].property",
                    sentence,
                    other=taken[column.property],
                )
        return tuple(column for column in found if column is not None)

    def _column(
        self, at: str, given: Any, spec: TargetSpec | None
    ) -> TableColumn | None:
        if not isinstance(given, dict):
            self._say(at, _("must be a JSON object"))
            return None
        self._unknown(given, _COLUMN, f"{at}.")
        texts = {
            k: self._text(given, k, f"{at}.")
            for k in ("column", "property", "lookup", "separator")
        }
        self._choice(f"{at}.lookup", texts["lookup"], _LOOKUPS)
        values, default = given.get("values") or {}, given.get("default")
        if not isinstance(values, dict) or any(
            isinstance(v, (dict, list)) for v in values.values()
        ):
            self._say(
                f"{at}.values",
                _("must have a text, number or boolean for each text of a cell"),
            )
            values = {}
        if isinstance(default, (dict, list)):
            self._say(f"{at}.default", _("must be a text, a number or a boolean"))
        if texts["column"] is None and default is None:
            self._say(at, _("needs a column, or a default as the value of all rows"))
        name = texts["property"]
        if name is None:
            self._say(f"{at}.property", _("is required"))
            return None
        if spec is not None:
            self._property(at, name, texts["lookup"], spec)
        return TableColumn(
            property=name,
            column=texts["column"],
            lookup=texts["lookup"],
            values={str(key): value for key, value in values.items()},
            default=default,
            separator=texts["separator"] or "/",
        )

    def _property(
        self, at: str, name: str, lookup: str | None, spec: TargetSpec
    ) -> None:
        try:
            field = field_of(spec, name)
        except KeyError:
            names = property_names(spec)
            sentence = _("%(target)s has no property %(name)s%(hint)s")
            words = {
                "target": spec.name,
                "name": short(name),
                "hint": did_you_mean(name, names),
            }
            self._say(f"{at}.property", sentence, **words)
            return
        if field.kind is FieldKind.LINES:
            sentence = _("name a property of the lines, for example %(name)s.%(inner)s")
            self._say(f"{at}.property", sentence, name=name, inner=field.lines[0].name)
        if lookup == BY_CODE and field.kind is not FieldKind.REFERENCE:
            self._say(f"{at}.lookup", _("only references are found by code"))
        if lookup in (BY_PATH, BY_INDENT) and name != spec.chain:
            sentence = _("folders are made for the property %(name)s only")
            if not spec.chain:
                sentence = _("%(target)s has no folders")
            self._say(f"{at}.lookup", sentence, name=spec.chain, target=spec.name)

    def _relations(
        self,
        spec: TargetSpec,
        columns: tuple[TableColumn, ...],
        lists: Mapping[str, tuple[str, ...]],
    ) -> None:
        """Check the names of properties against each other."""
        given = {column.property for column in columns}
        for key, names in lists.items():
            for name in names:
                if name not in given or "." in name:
                    sentence = _(
                        "%(name)s must be the property of a column, and not of lines"
                    )
                    self._say(key, sentence, name=short(name))
        if not lists["key"] and not lists["groupBy"]:
            self._say(
                "key",
                _("name the properties that identify a row, for example its code"),
            )
        has_lines = any("." in name for name in given)
        if lists["groupBy"] and not has_lines:
            self._say("groupBy", _("only rows that are lines can be grouped"))
        if has_lines and not lists["groupBy"]:
            self._say(
                "groupBy",
                _("name the properties that are equal in all lines of a document"),
            )
