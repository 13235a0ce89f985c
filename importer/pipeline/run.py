"""Run a package through the stations: read, check, survey, then window by window.

What happens inside a window is in ``apply``; nobody else knows the order of the stations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from msgspec import structs

from importer.package import paths
from importer.package.catalogue import Catalogue
from importer.package.shapes import Header, Step, error
from importer.package.tokens import Moment
from importer.pipeline import first_places
from importer.pipeline.apply import Applier, Work
from importer.pipeline.judge import JudgingTeller
from importer.pipeline.memory import Memory
from importer.pipeline.policies import with_default_policy
from importer.pipeline.ports import RefreshUser, Targets
from importer.pipeline.read import PackageReader
from importer.pipeline.report import Gathering
from importer.pipeline.resolve import Resolver
from importer.pipeline.settings import Settings
from importer.pipeline.survey import Surveyor
from importer.pipeline.tell import Teller
from importer.pipeline.values import Entry


class Pipeline:
    """Take one package from bytes to results."""

    def __init__(
        self,
        source: BinaryIO,
        catalogue: Catalogue,
        targets: Targets,
        settings: Settings,
        gathering: Gathering,
    ) -> None:
        self._source = source
        self._catalogue = catalogue
        self._targets = targets
        self._settings = settings
        self._gathering = gathering
        self.memory = Memory()
        self._teller = Teller(gathering, self.memory)

    def read(self, named: Callable[[Header], None]) -> Header:
        """Check all and remember the objects, `named` hearing which package it is."""
        source, catalogue = self._source, self._catalogue
        reader = PackageReader(source, catalogue, self.memory, self._passed, named)
        header = reader.read()
        if self._settings.default_policies:
            kinds, steps = catalogue.kinds, self.memory.steps
            steps[:] = [with_default_policy(step, kinds) for step in steps]
        self._settings.progress("checking", len(self.memory), len(self.memory))
        return header

    def _passed(self, count: int) -> None:
        self._settings.progress("checking", count, None)
        self._settings.stop_if_cancelled()
        self._settings.give_way()

    def objected(self, header: Header, moment: Moment) -> bool:
        """Tell what the checks of other apps have against the package as a whole."""
        memory, targets = self.memory, self._targets
        resolver = Resolver(targets, memory, moment)
        surveyor = Surveyor(self._source, targets, memory, resolver, header.package)
        objections = surveyor.objections(self._settings.checks, self._windows)
        for reason in objections:
            self._gathering.say(error(paths.WHOLE, reason))
        return bool(objections)

    def broken(self) -> bool:
        """Tell of broken objects where they end the run before its first write."""
        memory = self.memory
        bad = memory.problems
        if not (bad and self._settings.stops_at_errors):
            return False
        for number in sorted(bad):
            step = memory.steps[memory.step_of(number)]
            index = number - memory.first(step.index)
            entry = Entry(number, index, memory.ids[number], "")
            self._teller.failed(step, entry, bad[number])
        return True

    def apply(
        self, header: Header, moment: Moment, user: Any, refresh: RefreshUser
    ) -> bool:
        """Write, or plan, every object; False if the run stopped at an error."""
        work = self._work(header, moment, self._settings)
        return self._apply(Applier(work, self._teller, user, refresh), work.settings)

    def judge(
        self, header: Header, moment: Moment, user: Any, refresh: RefreshUser
    ) -> bool:
        """Tell what else is wrong with a package that is refused as a whole; False.

        A refusal that hid it would only be the first of several.
        """
        settings = structs.replace(self._settings, dry_run=True)
        work = self._work(header, moment, settings)
        teller = JudgingTeller(self._gathering, self.memory)
        self._apply(Applier(work, teller, user, refresh), settings)
        return False

    def _work(self, header: Header, moment: Moment, settings: Settings) -> Work:
        source, targets = self._source, self._targets
        return Work(source, targets, self.memory, settings, header, moment)

    def _apply(self, applier: Applier, settings: Settings) -> bool:
        memory = self.memory
        stage = "planning" if settings.dry_run else "importing"
        for step in memory.steps:
            for numbers in self._windows(step):
                going = applier.window(step, numbers)
                settings.progress(stage, self._gathering.done, len(memory))
                if not going:
                    applier.finish(step)
                    return False
            applier.finish(step)
        applier.end()
        return True

    def _windows(self, step: Step) -> Iterator[range]:
        """Yield the numbers of a step's objects, as many as one window takes."""
        span, size = self.memory.span(step.index), self._settings.window
        for start in range(span.start, span.stop, size):
            self._settings.stop_if_cancelled()
            yield range(start, min(start + size, span.stop))

    def locate_problems(self) -> None:
        """Say in which line of the file, and in which object, each cause is first."""
        causes = self._gathering.causes
        first_places.place(causes, self._source, self.memory, self._targets)

    def note_not_reached(self) -> None:
        """Say how many objects the run did not come to (OPEN-41)."""
        self._teller.not_reached(len(self.memory) - self._gathering.done)
