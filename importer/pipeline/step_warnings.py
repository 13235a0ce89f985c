"""Warnings for the author of a step: one for all its objects."""

from __future__ import annotations

from importer.package import paths
from importer.package.shapes import Diagnostic, Severity, Step
from importer.package.step_policies import Execute
from importer.package.tokens import first_token
from importer.package.translation import ngettext
from importer.pipeline.decide import KEEPING, Decision
from importer.pipeline.report import ReportBuilder
from importer.pipeline.values import ExistingRow, ObjectContent


class StepWarnings:
    """The warnings of the current step, reported at its end."""

    def __init__(self, report: ReportBuilder) -> None:
        self._report = report
        self._begin()

    def _begin(self) -> None:
        self._first_token = ""
        self._with_token = 0
        self._not_submitted = 0

    def note_token(self, step: Step, one: ObjectContent) -> None:
        """Note an object that is executed once but contains a date token."""
        if step.policy.execute is not Execute.ONCE:
            return
        found = first_token(one.item, step.fields)
        if not found:
            return
        at = paths.inside(paths.item_path(step.index, one.entry.index), found)
        self._first_token = self._first_token or at
        self._with_token += 1

    def note_unsubmitted(
        self, step: Step, row: ExistingRow | None, decision: Decision
    ) -> None:
        """Note a row that isn't submitted and that this run doesn't submit either."""
        waiting = row is not None and not (row.submitted or row.deleted)
        if step.submit and waiting and decision.action in KEEPING:
            self._not_submitted += 1

    def report(self, step: Step) -> None:
        """Report the warnings of a step and begin the next one."""
        if self._with_token:
            self._warn(self._first_token, self._once())
        if self._not_submitted:
            self._warn(paths.step_path(step.index), self._unposted())
        self._begin()

    def _warn(self, path: str, message: str) -> None:
        self._report.say(Diagnostic(Severity.WARNING, path, f"{path}: {message}"))

    def _once(self) -> str:
        return ngettext(
            "1 object of this step takes its date from the run but is executed only "
            'once, with the date of that day; set "execute": "always" to execute it '
            "in every run",
            "%(count)s objects of this step take their date from the run but are "
            'executed only once, with the date of that day; set "execute": "always" '
            "to execute them in every run",
            self._with_token,
        )

    def _unposted(self) -> str:
        return ngettext(
            '1 document of this step remains unposted although the step has "submit": '
            "true, because a run posts only the documents it writes. Post it on the page "
            "of these documents, or change the object and set "
            '"onChange": "update"',
            "%(count)s documents of this step remain unposted although the step has "
            '"submit": true, because a run posts only the documents it writes. Post them '
            "on the page of these documents, or change the objects and set "
            '"onChange": "update"',
            self._not_submitted,
        )
