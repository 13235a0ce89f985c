"""The look-ups of an import target: the description made from its serializer, and one
query per question of a window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db import models, router, transaction
from django.db.models import Q
from rest_framework.exceptions import ValidationError

from importer import registry
from importer.columns import Columns, columns_of, give_columns
from importer.describe import (
    fields_of,
    own_columns,
    title_of,
    unique_names,
    unique_sets,
)
from importer.live_rows import (
    ReferenceColumn,
    RowReference,
    reference_columns,
    references_of,
)
from importer.mark_query import MarkQuery, first_marks
from importer.package.fields import TargetSpec
from importer.package.shapes import EVERY_PACKAGE
from importer.pipeline.row_numbers import key_of, number_of
from importer.pipeline.values import ExistingRow
from importer.prepared import may
from importer.serializers import Serializer, borrowed


class TargetRows:
    """The rows of one model, for look-ups by packages."""

    def __init__(  # noqa: PLR0913 - what a project may say of a table
        self,
        model: type[models.Model],
        serializer: type[Serializer],
        *,
        name: str,
        kind: str = "dictionary",
        code: str = "code",
        modified: str = "",
        deleted: str = "",
        version: str = "",
    ) -> None:
        self.model, self.serializer = model, serializer
        self.name, self.kind = name, kind
        self._code = code
        self.given_columns = Columns(modified, deleted, version)
        give_columns(model, self.given_columns)
        self.columns = columns_of(model)

    @cached_property
    def _bound(self) -> Serializer:
        return self.serializer()

    @cached_property
    def _sources(self) -> dict[str, str]:
        """Return the model attribute behind each property."""
        return {name: str(f.source) for name, f in self._bound.fields.items()}

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the fields of the serializer by their names; read-only."""
        return self._bound.fields

    @cached_property
    def properties(self) -> tuple[tuple[str, Any], ...]:
        """Return the writable fields by their names."""
        fields = self.fields.items()
        return tuple((name, field) for name, field in fields if not field.read_only)

    @cached_property
    def unique(self) -> tuple[str, ...]:
        """Return the properties that are unique among live rows."""
        return unique_names(self._bound.fields, self.model)

    @cached_property
    def _naming(self) -> tuple[str, str]:
        """Return the columns with the code and the name of a row, "" for none."""
        sources = (self._sources.get(each, "") for each in (self._code, "name"))
        code, name = (each if each in self._attributes else "" for each in sources)
        return code, "" if name == code else name

    @cached_property
    def _unique_together(self) -> list[tuple[str, ...]]:
        """Return the sets of properties that are unique together among live rows."""
        return unique_sets(self._bound.fields, self.model)

    @cached_property
    def spec(self) -> TargetSpec:
        """Return the description of the target."""
        return self.describe()

    def describe(self) -> TargetSpec:
        """Return a new description of the target."""
        fields = fields_of(self._bound, registry.target_name)
        names = {field.name for field in fields}
        chains = [f.name for f in fields if f.to == self.name]
        return TargetSpec(
            name=self.name,
            kind=self.kind,
            fields=fields,
            code=self._code if self._code in names else "",
            unique=self.unique,
            chain=chains[0] if chains else "",
            title=title_of(self.model),
            deletable=bool(self.columns.deleted),
        )

    # -- look-ups ------------------------------------------------------------------

    @property
    def _all(self) -> models.QuerySet[Any]:
        # Unordered, because look-ups don't need the default order.
        return self.model._base_manager.order_by()

    @property
    def _live(self) -> models.QuerySet[Any]:
        deleted = self.columns.deleted
        return self._all.filter(**{deleted: False}) if deleted else self._all

    def marked(self, source: str, keys: Sequence[str]) -> dict[str, ExistingRow]:
        """Return the marked rows of a package by object id, with one query."""
        return self._marks(source, keys)

    @cached_property
    def _marks(self) -> MarkQuery:
        return MarkQuery(self._all, self._submitted, self._naming)

    @property
    def _submitted(self) -> str:
        submitted = self.spec.submitted
        return self._sources[submitted] if submitted else ""

    def marked_after(
        self, source: str, after: str, most: int
    ) -> list[tuple[str, ExistingRow]]:
        """Return (object id, row) of the live marked rows of a package, by object id
        from the first after one, up to a number, with one query."""
        marked = self._live.filter(import_source=source, import_key__gt=after)
        return first_marks(marked, self._submitted, self._naming, most)

    def rename_marks(self, source: str, marks: Mapping[int, tuple[str, str]]) -> None:
        """Give the marks of rows the package's name, and ids and hashes of the
        objects."""
        # Not with a manager of the model, which may refuse writes that bypass ``save``.
        rows: models.QuerySet[Any] = models.QuerySet(self.model)
        with transaction.atomic(router.db_for_write(self.model)):
            for row_id, (key, source_hash) in marks.items():
                rows.filter(pk=key_of(row_id)).update(
                    import_source=source,
                    import_key=key,
                    import_source_hash=source_hash,
                )

    def package_of(self, row: Any) -> str:
        """Return the package in the mark of a row, empty without one."""
        return str(row.import_source or "")

    def live(self, name: str, values: Sequence[Any]) -> list[tuple[Any, int]]:
        """Return (value, key) of the live rows with one of the values, with one
        query."""
        column = self._sources[name]
        found = self._live.filter(**{f"{column}__one_of": self._keys(name, values)})
        pairs = found.values_list(column, "pk")
        return [(self._numbered(name, value), number_of(key)) for value, key in pairs]

    def codes(self, most: int) -> list[tuple[Any, int]]:
        """Return (code, key) of live rows up to a number, with one query."""
        column = self._sources[self.spec.code]
        found = self._live.values_list(column, "pk")[:most]
        return [(code, number_of(key)) for code, key in found]

    def may_view(self, user: Any) -> bool:
        """Return whether a user may see the rows."""
        return may(user, self.model, "view")

    def adoptable(
        self,
        names: Sequence[str],
        columns: Sequence[Sequence[Any]],
        packages: Sequence[str] = (),
    ) -> list[tuple[tuple[Any, ...], int]]:
        """Return (values, key) of live rows without a mark, or with one of some
        packages, with one query."""
        sources = [self._sources[name] for name in names]
        wanted = Q()
        if EVERY_PACKAGE not in packages:
            wanted = Q(import_key__isnull=True) | Q(import_source__in=packages)
        for name, source, values in zip(names, sources, columns, strict=True):
            wanted &= Q(**{f"{source}__one_of": self._keys(name, values)})
        found = self._live.filter(wanted).order_by("pk").values_list(*sources, "pk")
        return [
            (tuple(map(self._numbered, names, row[:-1])), number_of(row[-1]))
            for row in found
        ]

    def rows(self, row_ids: Sequence[int]) -> dict[int, Any]:
        """Return rows by their keys, deleted ones included, with one query."""
        keys = [key_of(row_id) for row_id in row_ids]
        return {number_of(row.pk): row for row in self._all.filter(pk__one_of=keys)}

    def last_imported(self, rows: Sequence[Any]) -> Mapping[int, Mapping[str, Any]]:
        """Return nothing: plain models have no history of their values."""
        return {}

    def chain(self, row: Any) -> int | None:
        """Return the key of a row's parent in the same table."""
        parent: int | None = self.row_values(row, [self.spec.chain])[0]
        return parent

    def typed(self, name: str, value: Any) -> Any:
        """Return a wire value in the form of the model, None if it is invalid."""
        if value is None or name not in self._sources or isinstance(value, dict):
            return None
        if self.spec.field(name).to:
            return value
        try:
            typed = self._bound.fields[name].to_internal_value(value)
            if type(typed) is int:
                # Not every database accepts any whole number.
                with borrowed(self.serializer) as lent:
                    lent.fields[name].run_validators(typed)
        except ValidationError:
            return None
        return typed

    def row_values(self, row: Any, names: Sequence[str]) -> tuple[Any, ...]:
        """Return the values of some properties of a row."""
        return tuple(
            self._numbered(name, getattr(row, self._attribute(name))) for name in names
        )

    def _numbered(self, name: str, value: Any) -> Any:
        """Return the value of a property for the engine, with references as numbers."""
        return number_of(value) if name in self._referring else value

    def _keys(self, name: str, values: Sequence[Any]) -> list[Any]:
        """Return the values to ask the database for; no row refers to a planned one."""
        if name not in self._referring:
            return list(values)
        return [key_of(number) for number in values if number > 0]

    @cached_property
    def _referring(self) -> frozenset[str]:
        return frozenset(field.name for field in self.spec.fields if field.to)

    def _attribute(self, name: str) -> str:
        return self._attributes[self._sources[name]]

    @cached_property
    def _attributes(self) -> dict[str, str]:
        """Return the attribute of each own column, by field name and by attribute."""
        return own_columns(self.model)

    def version(self, row: Any) -> int | None:
        """Return the version of a row, None if the table has none."""
        column = self.columns.version
        return getattr(row, column) if column else None

    def modified(self, row: Any) -> Any:
        """Return when a row was last changed, None if no column has it."""
        column = self.columns.modified
        return getattr(row, column) if column else None

    def lines(self, row_ids: Sequence[int]) -> dict[int, int]:
        """Return nothing: these rows have no lines."""
        return {}

    def named_by(self, row: Any) -> Iterator[tuple[str, int]]:
        """Yield (target, key) of the rows that a row refers to."""
        for reference in self.references(row):
            yield (
                registry.target_name(reference.wanted.model),
                number_of(reference.row_id),
            )

    def references(self, row: Any) -> list[RowReference]:
        """Return the references of a row in its properties."""
        known = [each for each in self._references if each.path in self._sources]
        return references_of(row, known)

    @cached_property
    def _references(self) -> tuple[ReferenceColumn, ...]:
        """Return the columns that refer to rows that can be soft-deleted."""
        properties = {source: name for name, source in self._sources.items()}

        def path(name: str) -> str:
            column: Any = self.model._meta.get_field(name)
            return properties.get(column.attname) or properties.get(name, name)

        return reference_columns(self.model, path)
