"""What the author of a step should know of its objects together: one warning per step."""

from __future__ import annotations

from importer.package import paths
from importer.package.shapes import Diagnostic, Execute, Severity, Step
from importer.package.tokens import first_token
from importer.package.words import ngettext
from importer.pipeline.decide import KEEPING, Decision
from importer.pipeline.report import Gathering
from importer.pipeline.values import Sighting, Visited


class Remarks:
    """The warnings of the step that is being done, told at its end."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering
        self._begin()

    def _begin(self) -> None:
        self._first_token = ""
        self._with_token = 0
        self._not_submitted = 0

    def read(self, step: Step, one: Visited) -> None:
        """Note an object that is executed once, with the date of that day."""
        if step.policy.execute is not Execute.ONCE:
            return
        found = first_token(one.item, step.fields)
        if not found:
            return
        at = paths.inside(paths.item_path(step.index, one.entry.index), found)
        self._first_token = self._first_token or at
        self._with_token += 1

    def kept(self, step: Step, seen: Sighting | None, decision: Decision) -> None:
        """Note a row that was not submitted, and is not by this run."""
        waiting = seen is not None and not (seen.submitted or seen.deleted)
        if step.submit and waiting and decision.action in KEEPING:
            self._not_submitted += 1

    def tell(self, step: Step) -> None:
        """Say what was noted of a step, and begin anew."""
        if self._with_token:
            self._warn(self._first_token, self._once())
        if self._not_submitted:
            self._warn(paths.step_path(step.index), self._unposted())
        self._begin()

    def _warn(self, path: str, message: str) -> None:
        self._gathering.say(Diagnostic(Severity.WARNING, path, f"{path}: {message}"))

    def _once(self) -> str:
        return ngettext(
            "1 object of this step leaves a date to the run and is executed once in its "
            'life, with the date of that day; with "execute": "always" it is executed '
            "in every run",
            "%(count)s objects of this step leave a date to the run and are executed "
            'once in their life, with the date of that day; with "execute": "always" '
            "they are executed in every run",
            self._with_token,
        )

    def _unposted(self) -> str:
        return ngettext(
            "1 document of this step is not posted and stays so, although the step says "
            "submit: a run posts only what it writes. Post it in its list, or change "
            "the object and let onChange be update",
            "%(count)s documents of this step are not posted and stay so, although the "
            "step says submit: a run posts only what it writes. Post them in their "
            "list, or change the objects and let onChange be update",
            self._not_submitted,
        )
