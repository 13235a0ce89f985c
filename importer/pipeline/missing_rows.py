"""The rows whose objects the file no longer has: reported, or deleted as the user of the
run would delete them.

Nothing is deleted in a run with errors: a wrong file could look like deleted objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

from importer.package.hashing import MISSING_HASH
from importer.package.shapes import Mark, NotAllowed, ObjectError, Outcome, Problem
from importer.package.translation import gettext as _, gettext_noop
from importer.pipeline.actor import Actor
from importer.pipeline.decide import decide_missing
from importer.pipeline.plan import CHANGED_SINCE, seal_of_removal
from importer.pipeline.policies import MissingPolicy
from importer.pipeline.ports import Stale, Write
from importer.pipeline.remedies import remedy_of
from importer.pipeline.removal_plan import MissingRow, RemovalPlan
from importer.pipeline.results import ResultRecorder
from importer.pipeline.run_input import RunInput
from importer.pipeline.values import ExistingRow

KEY = "onMissing"
_BY_USER = gettext_noop("kept: a user changed the row after the import")
_POSTED = gettext_noop("kept: it is posted, and an import deletes no posted documents")
_ERRORS = gettext_noop("kept: a run with errors deletes nothing")
_MOVED = gettext_noop("kept: somebody changed the row during the run")


class MissingRows:
    """The last stage of a run: the missing rows of all targets."""

    def __init__(
        self, run: RunInput, results: ResultRecorder, policies: Sequence[MissingPolicy]
    ) -> None:
        self._run = run
        self._results = results
        self._policies = policies
        self._actor = Actor(run.user, run.refresh)
        self._earlier_ids = {
            (run.memory.steps[run.memory.step_of(number)].target, name.id)
            for number, name in run.memory.earlier_ids.items()
        }
        self._missing = Counter[str]()
        window = run.settings.window
        self._plan = RemovalPlan(run.targets, run.references, window)

    def report_or_delete(self) -> None:
        """Report or delete the rows, as the steps of their targets say."""
        for policy in self._policies:
            self._plan.begin(policy)
            for key, row in self._found(policy):
                self._missing[policy.target] += 1
                self._judge(policy, key, row)
        plan = self._plan
        removals = plan.removals(self._run.settings.stop_if_cancelled)
        for kept, reason in plan.kept(removals):
            self._results.missing(kept, Outcome.MISSING, reason)
        self._check_limits(removals)
        rows = map(plan.row, removals)
        for _target, some in groupby(rows, lambda each: each.policy.target):
            while window := list(islice(some, self._run.settings.window)):
                self._remove_window(window)

    def _found(self, policy: MissingPolicy) -> Iterator[tuple[str, ExistingRow]]:
        """Yield the live rows with marks of the package whose objects are missing."""
        run, target = self._run, self._run.targets[policy.target]
        header = run.header
        for source in dict.fromkeys((header.package, *header.renamed_from)):
            after = ""
            while page := target.marked_after(source, after, run.settings.window):
                run.settings.stop_if_cancelled()
                run.settings.yield_to_requests()
                for key, row in page:
                    if not self._is_in_file(policy, key):
                        yield key, row
                after = page[-1][0]

    def _is_in_file(self, policy: MissingPolicy, key: str) -> bool:
        memory = self._run.memory
        number = memory.ids.number(key)
        if number is not None and memory.step_of(number) in policy.steps:
            return True
        return (policy.target, key) in self._earlier_ids

    def _judge(self, policy: MissingPolicy, key: str, row: ExistingRow) -> None:
        """Report a row, or plan to delete it."""
        on_missing = policy.step.policy.on_missing
        if on_missing is None:
            return
        deletes = decide_missing(row, on_missing) is Outcome.DELETED
        planned, seal = self._run.settings.plan, seal_of_removal(row.version)
        if deletes and (planned is None or planned.deletes(policy.target, key, seal)):
            self._plan.add(key, row)
            return
        reason = ""
        if deletes and planned is not None:
            # Usually the row is still in use, as the dry run has reported.
            reason = planned.reason_to_keep(policy.target, key, seal)
            reason = reason or _(CHANGED_SINCE)
        elif policy.deletes:
            reason = _(_BY_USER) if row.user_modified else _(_POSTED)
        missing = MissingRow(policy, key, row.row_id, row.version, row.name)
        self._results.missing(missing, Outcome.MISSING, reason)

    def _check_limits(self, removals: Iterable[int]) -> None:
        """Report each target of which more rows would be deleted than allowed."""
        counts = Counter(self._plan.row(number).policy.target for number in removals)
        for policy in self._policies:
            count = counts[policy.target]
            objects = sum(len(self._run.memory.span(step)) for step in policy.steps)
            rows = objects + self._missing[policy.target]
            if count > (most := policy.most(rows)):
                self._results.refused(
                    policy.step, KEY, _beyond(policy, count, rows=rows, most=most)
                )

    def _remove_window(self, window: Sequence[MissingRow]) -> None:
        run = self._run
        self._actor.refresh()
        target = run.targets[window[0].policy.target]
        rows = target.rows([missing.row_id for missing in window])
        for missing in window:
            if self._results.has_errors:
                self._results.missing(missing, Outcome.MISSING, _(_ERRORS))
                continue
            run.settings.stop_if_cancelled()
            run.settings.yield_to_requests()
            row = rows.get(missing.row_id)
            order = Write(None, self._actor.user, row=row, version=missing.version)
            try:
                if row is None:
                    raise Stale
                self._remove(missing, order)
            except Stale:
                self._results.missing(missing, Outcome.MISSING, _(_MOVED))
            except NotAllowed as refusal:
                self._results.missing(missing, Outcome.MISSING, _(_ERRORS))
                (problem, *_others) = refusal.problems
                sentence = Problem(
                    "", problem.message, problem.code, remedy=remedy_of(problem.code)
                )
                self._results.refused(missing.policy.step, KEY, sentence)
            except ObjectError as refusal:
                reason = "; ".join(problem.message for problem in refusal.problems)
                self._results.missing(missing, Outcome.MISSING, reason)
            else:
                self._results.missing(missing, Outcome.DELETED)

    def _remove(self, missing: MissingRow, order: Write) -> None:
        """Delete a row, or in a dry run only check that the user may."""
        run = self._run
        self._actor.require()
        target = run.targets[missing.policy.target]
        prepared = target.prepare_removal(order)
        if not run.settings.dry_run:
            # The row keeps the package's name that it has, which may be an earlier one.
            source = target.package_of(order.row)
            origin = run.header.origin.stored
            target.commit(prepared, Mark(origin, source, missing.key, MISSING_HASH))


def _beyond(policy: MissingPolicy, count: int, *, rows: int, most: int) -> Problem:
    """Return that more rows would be deleted than the step allows."""
    sentence = _(
        "%(count)s of %(rows)s rows of %(target)s are no longer in the file, but at "
        "most %(most)s may be deleted (maxDelete %(limit)s), so none is"
    )
    words = {
        "count": count,
        "rows": rows,
        "target": policy.target,
        "most": most,
        "limit": policy.max_delete,
    }
    remedy = _(
        "Check that the file is complete. If it is, set a higher maxDelete in the step "
        "and import the package again."
    )
    return Problem("", sentence % words, "too-many-missing", remedy=remedy)
