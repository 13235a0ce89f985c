"""The rows that a run wrote, for its undo: read from the change history, window by
window, newest first. It is the importer's ``History``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.formats import localize
from django.utils.translation import gettext as _

from importer import UndoOutcome
from importer.models import ImportRun
from platform_site.changes.archived import why_incomplete
from platform_site.changes.labels import kind_in_words, recorded_models
from platform_site.changes.models import ChangeEvent, FormerMark
from platform_site.changes.row_writers import (
    RowWrite,
    undoing_runs,
    without_undone,
    writes_since,
)
from platform_site.records import wire
from platform_site.records.former_rows import FormerRow, former_row, revert_row
from platform_site.records.models import Record
from platform_site.records.services import restore_record

RowKey = tuple[str, int]


@dataclass(slots=True)
class WrittenRow:
    """A row that a run wrote; see ``importer.revertible.RevertibleRow``."""

    run: ImportRun
    target: str
    row_id: int
    id: str = ""
    name: str = ""
    outcome: UndoOutcome | None = None
    message: str = ""
    changes: dict[str, list[Any]] | None = None
    row: Any = None
    former: FormerRow | None = None

    def revert(self, user: Any) -> None:
        """Revert the row through the services."""
        if self.former is not None:
            revert_row(self.row, self.former, user)

    def read_again(self) -> WrittenRow:
        """Return the row as it is now."""
        return _read(self.run, self.target, [self.row_id])[self.row_id]


class RecordHistory:
    """The changes of runs to business rows."""

    def knows(self, run: ImportRun) -> bool:
        """Return whether changes of a run are recorded."""
        return bool(_events(run).exists() or _marks(run).exists())

    def why_incomplete(self, run: ImportRun) -> str:
        """Return why not all is known that an undo needs: some of it is archived."""
        return why_incomplete(run)

    def count(self, run: ImportRun) -> int:
        """Return the number of rows that a run wrote."""
        events = _events(run).order_by().values("model", "row_id").distinct()
        marks = _only_marks(run).order_by().values("model", "row_id").distinct()
        return int(events.count() + marks.count())

    def windows(self, run: ImportRun, size: int) -> Iterator[Sequence[WrittenRow]]:
        """Yield the rows that a run wrote, those written last first.

        Rows of which it wrote only the mark come last.
        """
        for written in (_events(run), _only_marks(run)):
            for page in _pages(written.order_by("-at", "-id"), size):
                yield _window(run, page, written)

    def restore(self, row: Record, user: Any) -> None:
        """Restore a deleted row through the services."""
        restore_record(row=row, actor=user)


def _events(run: ImportRun) -> Any:
    return ChangeEvent.objects.filter(run_id=run.pk, row_id__isnull=False)


def _marks(run: ImportRun) -> Any:
    return FormerMark.objects.filter(run_id=run.pk)


def _only_marks(run: ImportRun) -> Any:
    """Return the former marks of rows whose values the run didn't write."""
    written = _events(run).order_by()
    same = written.filter(row_id=OuterRef("row_id"), model=OuterRef("model"))
    return _marks(run).filter(~Exists(same))


def _pages(written: Any, size: int) -> Iterator[list[tuple[int, RowKey]]]:
    """Yield pages of (key of the event or mark, row), each read when it is needed."""
    page = written
    while found := list(page.values_list("at", "id", "model", "row_id")[:size]):
        yield [(key, (model, row_id)) for _at, key, model, row_id in found]
        at, key, *_row = found[-1]
        earlier = Q(at__lt=at) | Q(id__lt=key)
        # The first condition uses the index.
        page = written.filter(at__lte=at).filter(earlier)


def _window(
    run: ImportRun, page: Sequence[tuple[int, RowKey]], written: Any
) -> list[WrittenRow]:
    """Return the rows of a page, except those that an earlier page had already."""
    ids = {key for key, _row in page}
    keys = list(dict.fromkeys(row for _key, row in page))
    read: dict[RowKey, WrittenRow] = {}
    for model in dict.fromkeys(model for model, _row_id in keys):
        row_ids = [row_id for name, row_id in keys if name == model]
        of_rows = written.filter(model=model, row_id__one_of=row_ids)
        newest = dict(of_rows.order_by("at", "id").values_list("row_id", "id"))
        left = [row_id for row_id in row_ids if newest.get(row_id) in ids]
        read |= {(model, i): row for i, row in _read(run, model, left).items()}
    return [read[key] for key in keys if key in read]


def _read(run: ImportRun, name: str, row_ids: Sequence[int]) -> dict[int, WrittenRow]:
    """Return rows of one model as they are now, with what an undo would do to each."""
    model = recorded_models().get(name)
    if model is None or not issubclass(model, Record):
        sentence = _("%(rows)s can't be reverted by an undo.")
        message = sentence % {"rows": kind_in_words(name)}
        blocked = UndoOutcome.BLOCKED
        return {
            i: WrittenRow(run, name, i, outcome=blocked, message=message)
            for i in row_ids
        }
    # The rows come first: a change after this is noticed by their versions.
    rows = wire.target_of(model).rows(row_ids)
    of_rows = {"model": name, "row_id__one_of": list(row_ids)}
    events: dict[int, list[ChangeEvent]] = {}
    for event in _events(run).filter(**of_rows).order_by("at", "id"):
        events.setdefault(event.row_id or 0, []).append(event)
    marks: dict[int, FormerMark] = {}
    for mark in _marks(run).filter(**of_rows).order_by("-at", "-id"):
        marks[mark.row_id] = mark  # the first of the run is the last here
    writes = writes_since(name, row_ids, run.started_at)
    undoing = undoing_runs(w.run_id for each in writes.values() for w in each)
    return {
        row_id: _judged(
            WrittenRow(
                run,
                name,
                row_id,
                name=_name(rows.get(row_id), events.get(row_id, ())),
                row=rows.get(row_id),
                former=former_row(events.get(row_id, ()), marks.get(row_id)),
            ),
            writes.get(row_id, ()),
            undoing,
        )
        for row_id in row_ids
    }


def _judged(
    written: WrittenRow, writes: Sequence[RowWrite], undoing: dict[UUID, UUID]
) -> WrittenRow:
    """Complete a row: its object, and what becomes of it."""
    row, former = written.row, written.former
    written.id = next((w.key for w in writes if w.key), "")
    if row is None:
        written.outcome = UndoOutcome.GONE
        written.message = _("the row was deleted for good")
        return written
    written.id = row.import_key or written.id
    left = without_undone(writes, undoing)
    own = [n for n, write in enumerate(left) if write.run_id == written.run.pk]
    if not own:
        written.outcome = UndoOutcome.REVERTED
        written.message = _("reverted already by an earlier undo of this run")
        return written
    others = [w for w in left[own[0] :] if w.run_id != written.run.pk]
    if others:
        written.outcome, written.message = _kept(others)
    elif former is not None:
        written.message = _what(former)
        written.changes = former.changes if former.existed else None
    return written


def _name(row: Any, events: Sequence[ChangeEvent]) -> str:
    """Return what a row is called, or was when the run wrote it."""
    if row is not None:
        return str(row)
    return events[-1].row if events else ""


def _what(former: FormerRow) -> str:
    """Return what an undo does besides changing values, empty if nothing."""
    if not former.existed:
        return _("deleted, because the run created it")
    if former.deleted is None:
        return "" if former.changes else _("only its link to the package is reverted")
    return _("deleted again") if former.deleted else _("restored")


def _kept(others: Sequence[RowWrite]) -> tuple[UndoOutcome, str]:
    """Return why a row stays that others wrote after the run."""
    last = others[-1]
    words = {
        "user": last.user_name or "—",
        "when": localize(timezone.localtime(last.at)),
    }
    if last.deleted:
        sentence = _("%(user)s deleted the row at %(when)s")
        return UndoOutcome.GONE, sentence % words
    if last.run_id is not None:
        sentence = _("kept: a later run wrote the row at %(when)s")
    else:
        sentence = _("kept: %(user)s changed the row at %(when)s")
    return UndoOutcome.KEPT, sentence % words
