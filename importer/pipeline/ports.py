"""The interfaces to the outside: targets that know the database, and a clock.

``importer.targets`` implements them with Django; tests may use dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from importer.package.fields import TargetSpec
from importer.package.shapes import Mark, Refusal
from importer.package.tokens import Moment
from importer.pipeline.values import ExistingRow


class Stale(Exception):
    """A row changed between look-up and write; ``version`` is its own now, if known."""

    version: int | None = None


class StaleReference(Refusal):
    """The refusal of a row whose references moved between look-up and write.

    By hand it is told like any other; a run decides once more.
    """


class RowLookup(Protocol):
    """Other rows, as whatever judges a write may ask for them: in a run the window
    answers, otherwise the database."""

    def load(self, model: type[Any], row_ids: Iterable[int]) -> None:
        """Prepare to be asked for rows of a model."""

    def name(self, row: Any) -> str:
        """Return what people call a row."""

    def row(self, model: type[Any], row_id: int) -> Any | None:
        """Return a row by its key, deleted ones included."""

    def holders(self, model: type[Any], name: str, value: Any) -> Sequence[int]:
        """Return the keys of the live rows that have a value in a property."""


class Write(msgspec.Struct, frozen=True):
    """The order to write one row: what to do, with which values, and as whom.

    ``values`` is None if the row's own values stay; ``version`` is the one the decision
    was made on; ``submit`` asks for more than saving, where a target knows what that
    is.
    """

    values: dict[str, Any] | None
    user: Any
    row: Any | None = None
    version: int | None = None
    restore: bool = False
    planned_id: int = 0
    submit: bool = False


class Prepared(Protocol):
    """A write that was authorised and validated but not yet made."""

    @property
    def row(self) -> Any:
        """Return the row as it will be."""

    @property
    def changes(self) -> dict[str, list[Any]]:
        """Return ``{property: [before, after]}`` in wire values."""

    @property
    def idle(self) -> bool:
        """Return whether a row that exists has all of this already."""

    @property
    def unjudged(self) -> bool:
        """Return whether only the write itself can show that it is possible."""


class Target(Protocol):
    """The rows of one table, to read and write."""

    @property
    def spec(self) -> TargetSpec:
        """Return the description of the target."""

    @property
    def model(self) -> type[Any]:
        """Return the model whose rows it reads and writes."""

    def marked(self, source: str, keys: Sequence[str]) -> dict[str, ExistingRow]:
        """Return what carries the mark of a package, by object id: one query."""

    def live(self, name: str, values: Sequence[Any]) -> list[tuple[Any, int]]:
        """Return (value, key) of the live rows with one of the values: one query."""

    def codes(self, most: int) -> list[tuple[Any, int]]:
        """Return (code, key) of live rows, at most so many: one query."""

    def may_view(self, user: Any) -> bool:
        """Return whether a user may see the rows."""

    def unmarked(
        self, names: Sequence[str], columns: Sequence[Sequence[Any]]
    ) -> list[tuple[tuple[Any, ...], int]]:
        """Return (values, key) of live rows without a mark: one query."""

    def rows(self, row_ids: Sequence[int]) -> dict[int, Any]:
        """Return rows by their keys, deleted ones included: one query."""

    def chain(self, row: Any) -> int | None:
        """Return the key of a row's parent in the same table."""

    def typed(self, name: str, value: Any) -> Any:
        """Return a wire value as rows hold it, or None if it is not valid."""

    def row_values(self, row: Any, names: Sequence[str]) -> tuple[Any, ...]:
        """Return what a row holds in some properties."""

    def version(self, row: Any) -> int | None:
        """Return the version of a row, None if rows have none."""

    def lines(self, row_ids: Sequence[int]) -> Mapping[int, int]:
        """Return the lines in the longest array of rows, by their keys: a query each.

        Rows without any may be left out.
        """

    def named_by(self, row: Any) -> Iterable[tuple[str, int]]:
        """Yield (target, key) of the rows that a row refers to."""

    def copy_of(
        self, source: str, row: Any, user: Any, moment: Moment
    ) -> dict[str, Any]:
        """Return the wire values of a new row made from a row of another target.

        ObjectError where it cannot be. Asked only for ``spec.sources``.
        """

    def prepare(self, order: Write, lookup: RowLookup) -> Prepared:
        """Authorise and validate a write, reading only; raise ObjectError if
        refused."""

    def foretell(
        self, row: Any, drawn: dict[Any, Any], taken: Callable[[str], bool]
    ) -> None:
        """Give a planned row the code that saving it would give it, reading only.

        ``drawn`` is the target's own memory of what it gave before in this run,
        ``taken`` tells of the codes that other planned rows have.
        """

    def commit(self, prepared: Prepared, mark: Mark | None) -> int:
        """Write in one transaction and return the row's key; raise Stale or
        ObjectError.

        A row that has all of it already gets the mark alone.
        """

    def renew(self, prepared: Prepared, source_hash: str) -> None:
        """Give the mark of a row another hash, and the row nothing; raise Stale if it
        moved."""


Targets = Mapping[str, Target]
RefreshUser = Callable[[Any], Any]
