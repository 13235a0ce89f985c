"""The interfaces of the pipeline to the outside: targets with a database, and a clock.

``importer.targets`` implements them with Django; tests may use dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from importer.package.fields import TargetSpec
from importer.package.item_result import LastChange
from importer.package.shapes import Mark, Refusal
from importer.package.tokens import Moment
from importer.pipeline.values import ExistingRow

_State = TypeVar("_State")


class Stale(Exception):
    """A row changed between look-up and write; ``version`` is its current one, if
    known."""

    version: int | None = None


class StaleReference(Refusal):
    """The refusal of a row whose references changed between look-up and write.

    Users get it like any other refusal; a run decides once more.
    """


class RowLookup(Protocol):
    """Access to other rows for the validation of a write: in a run the window,
    otherwise the database."""

    def load(self, model: type[Any], row_ids: Iterable[int]) -> None:
        """Load rows of a model in advance."""

    def name(self, row: Any) -> str:
        """Return the display name of a row."""

    def row(self, model: type[Any], row_id: int) -> Any | None:
        """Return a row by its key, deleted ones included."""

    def holders(self, model: type[Any], name: str, value: Any) -> Sequence[int]:
        """Return the keys of the live rows with a value in a property."""

    def simulated(self, kind: type[_State]) -> _State | None:
        """Return the one instance of a class in which targets note what a dry run
        simulates; None outside of dry runs."""


class Write(msgspec.Struct, frozen=True):
    """The order to write one row: values, user and options.

    ``values`` is None to keep the row's own values; ``version`` is that of the row when
    the decision was made; ``submit`` asks to submit the row as well, if the target can.
    """

    values: dict[str, Any] | None
    user: Any
    row: Any | None = None
    version: int | None = None
    restore: bool = False
    planned_id: int = 0
    submit: bool = False


class Prepared(Protocol):
    """A write that is authorised and validated, but not yet committed."""

    @property
    def row(self) -> Any:
        """Return the row with its new values."""

    @property
    def changes(self) -> dict[str, list[Any]]:
        """Return ``{property: [before, after]}`` in wire values."""

    @property
    def idle(self) -> bool:
        """Return whether an existing row has all of these values already."""


class Target(Protocol):
    """The rows of one table, to read and write."""

    @property
    def spec(self) -> TargetSpec:
        """Return the description of the target."""

    @property
    def model(self) -> type[Any]:
        """Return the model whose rows it reads and writes."""

    def marked(self, source: str, keys: Sequence[str]) -> dict[str, ExistingRow]:
        """Return the marked rows of a package by object id, with one query."""

    def marked_after(
        self, source: str, after: str, most: int
    ) -> list[tuple[str, ExistingRow]]:
        """Return (object id, row) of the live marked rows of a package, by object id
        from the first after one, up to a number, with one query."""

    def referrers(
        self, row_ids: Sequence[int], apart: Collection[type[Any]]
    ) -> Iterable[tuple[int, type[Any], int | None]]:
        """Yield (key, model, referring key) for the live rows that refer to rows.

        It takes one query for each way to refer to them. Only rows of the models in
        ``apart`` are told apart; for others the referring key is None.
        """

    def in_use(self, models: Iterable[type[Any]]) -> str:
        """Return why a row that rows of some models refer to isn't deleted."""

    def rename_marks(self, source: str, marks: Mapping[int, tuple[str, str]]) -> None:
        """Give the marks of rows the package's name, and ids and hashes of the
        objects."""

    def package_of(self, row: Any) -> str:
        """Return the package in the mark of a row, empty without one."""

    def live(self, name: str, values: Sequence[Any]) -> list[tuple[Any, int]]:
        """Return (value, key) of the live rows with one of the values, with one
        query."""

    def codes(self, most: int) -> list[tuple[Any, int]]:
        """Return (code, key) of live rows up to a number, with one query."""

    def deleted_row(self, code: Any) -> Any | None:
        """Return the deleted row that had a code last, None if there is none."""

    def may_view(self, user: Any) -> bool:
        """Return whether a user may see the rows."""

    def adoptable(
        self,
        names: Sequence[str],
        columns: Sequence[Sequence[Any]],
        packages: Sequence[str] = (),
    ) -> list[tuple[tuple[Any, ...], int]]:
        """Return (values, key) of live rows without a mark, or with one of some
        packages, with one query."""

    def rows(self, row_ids: Sequence[int]) -> dict[int, Any]:
        """Return rows by their keys, deleted ones included, with one query."""

    def last_imported(self, rows: Sequence[Any]) -> Mapping[int, Mapping[str, Any]]:
        """Return the values that runs wrote last to properties of rows which users have
        changed since then, by key and property, with one query.

        Rows of which this isn't known are left out. Called only if ``spec.mergeable``.
        """

    def last_changes(self, row_ids: Sequence[int]) -> Mapping[int, LastChange]:
        """Return who changed rows last outside of imports, by key, with one query.

        Rows of which nothing is known may be left out.
        """

    def name_of(self, row: Any) -> str:
        """Return what people call a row: its code and its name, empty without any."""

    def chain(self, row: Any) -> int | None:
        """Return the key of a row's parent in the same table."""

    def typed(self, name: str, value: Any) -> Any:
        """Return a wire value in the form of the model, None if it is invalid."""

    def row_values(self, row: Any, names: Sequence[str]) -> tuple[Any, ...]:
        """Return the values of some properties of a row."""

    def version(self, row: Any) -> int | None:
        """Return the version of a row, None if the table has none."""

    def lines(self, row_ids: Sequence[int]) -> Mapping[int, int]:
        """Return the number of lines in the longest array of rows, by their keys.

        It takes one query per array. Rows without lines may be left out.
        """

    def named_by(self, row: Any) -> Iterable[tuple[str, int]]:
        """Yield (target, key) of the rows that a row refers to."""

    def copy_of(
        self, source: str, row: Any, user: Any, moment: Moment
    ) -> dict[str, Any]:
        """Return the wire values of a new row made from a row of another target.

        Raise ObjectError if it can't be made. Called only for ``spec.sources``.
        """

    def prepare(self, order: Write, lookup: RowLookup) -> Prepared:
        """Authorise and validate a write, reading only; raise ObjectError if
        refused."""

    def prepare_removal(self, order: Write) -> Prepared:
        """Authorise a soft deletion, reading only; raise ObjectError if refused."""

    def load_simulation(self, writes: Sequence[Write], lookup: RowLookup) -> None:
        """Load what `simulate` needs for the writes of a window, with one query per
        table.

        Called only if the target can submit rows.
        """

    def simulate(self, prepared: Prepared, lookup: RowLookup) -> str:
        """Do in a dry run what ``commit`` would do, reading only.

        Raise ObjectError if ``commit`` would refuse it, give a planned row the code
        that it would draw, and return a message for the report, often an empty one.
        """

    def commit(self, prepared: Prepared, mark: Mark | None) -> int:
        """Write in one transaction and return the row's key; raise Stale or
        ObjectError.

        If the row has all values already, only its mark is written.
        """

    def renew(self, prepared: Prepared, source_hash: str) -> None:
        """Store a new hash in the mark of an unchanged row; raise Stale if it
        changed."""


Targets = Mapping[str, Target]
RefreshUser = Callable[[Any], Any]
