"""The import of one package: read and check, survey, then step by step and window by
window.

The order within a window is in ``window_importer``, that of an object in
``object_importer``; no other module knows the order of the stations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from msgspec import structs

from importer.package import paths
from importer.package.package_format import PackageFormat
from importer.package.shapes import Header, Step, error
from importer.package.tokens import Moment
from importer.pipeline.first_occurrences import add_first_occurrences
from importer.pipeline.memory import Memory
from importer.pipeline.missing_rows import MissingRows
from importer.pipeline.planned_references import PlannedReferences
from importer.pipeline.policies import (
    MissingPolicy,
    missing_policies,
    taking_the_package,
    with_default_policy,
)
from importer.pipeline.ports import RefreshUser, Targets
from importer.pipeline.read import PackageReader
from importer.pipeline.refusal_recorder import RefusalRecorder
from importer.pipeline.report import ReportBuilder
from importer.pipeline.resolve import Resolver
from importer.pipeline.results import ResultRecorder
from importer.pipeline.run_input import RunInput
from importer.pipeline.run_settings import RunSettings
from importer.pipeline.survey import Surveyor
from importer.pipeline.table_places import RowPlaces
from importer.pipeline.values import Entry
from importer.pipeline.window_importer import WindowImporter


class Pipeline:
    """One package from bytes to results."""

    def __init__(
        self,
        source: BinaryIO,
        package_format: PackageFormat,
        targets: Targets,
        settings: RunSettings,
        report: ReportBuilder,
    ) -> None:
        self._source = source
        self._format = package_format
        self._targets = targets
        self._settings = settings
        self._report = report
        self.memory = Memory()
        self._results = ResultRecorder(report, self.memory)
        self._missing: list[MissingPolicy] = []

    def read(self, named: Callable[[Header], None]) -> Header:
        """Check everything and remember the objects; call `named` with the valid
        header."""
        source, package_format = self._source, self._format
        reader = PackageReader(
            source, package_format, self.memory, self._objects_read, named
        )
        header = reader.read()
        if header.columns:
            self._results.places = RowPlaces(header.columns, source, self.memory)
        if self._settings.default_policies:
            kinds, steps = package_format.kinds, self.memory.steps
            steps[:] = [with_default_policy(step, kinds) for step in steps]
        if self._settings.chosen is not None:
            steps = self.memory.steps
            steps[:] = [taking_the_package(step) for step in steps]
        self._missing = missing_policies(self.memory.steps)
        if self._missing:
            self._report.count_missing()
        self._settings.progress("checking", len(self.memory), len(self.memory))
        return header

    def _objects_read(self, count: int) -> None:
        self._settings.progress("checking", count, None)
        self._settings.stop_if_cancelled()
        self._settings.yield_to_requests()

    def check_package(self, header: Header, moment: Moment) -> bool:
        """Report the objections of other apps; return whether there are any.

        They judge whole packages, so a run of chosen objects has none.
        """
        if self._settings.chosen is not None:
            return False
        memory, targets = self.memory, self._targets
        resolver = Resolver(targets, memory, moment)
        surveyor = Surveyor(self._source, targets, memory, resolver, header)
        objections = surveyor.objections(self._settings.checks, self._windows)
        for reason in objections:
            self._report.say(error(paths.WHOLE, reason))
        return bool(objections)

    def refuse_invalid(self) -> bool:
        """Report invalid objects if they end the run before its first write."""
        memory = self.memory
        bad = memory.problems
        if not (bad and self._settings.stops_at_errors):
            return False
        for number in sorted(bad):
            step = memory.steps[memory.step_of(number)]
            index = number - memory.first(step.index)
            entry = Entry(number, index, memory.ids[number], "")
            self._results.failed(step, entry, bad[number])
        return True

    def apply(
        self, header: Header, moment: Moment, user: Any, refresh: RefreshUser
    ) -> bool:
        """Write or plan every object; return False if the run stopped at an error."""
        run = self._input(header, moment, user, refresh)
        if not self._import_steps(run, self._results):
            return False
        if self._missing:
            missing = MissingRows(run, self._results, self._missing)
            missing.report_or_delete()
        return True

    def find_other_errors(
        self, header: Header, moment: Moment, user: Any, refresh: RefreshUser
    ) -> bool:
        """Report the other errors of a package that is refused as a whole; return
        False.

        Otherwise the next run would only show the next error.
        """
        run = self._input(header, moment, user, refresh)
        settings = structs.replace(run.settings, dry_run=True)
        results = RefusalRecorder(self._report, self.memory)
        self._import_steps(structs.replace(run, settings=settings), results)
        return False

    def _input(
        self, header: Header, moment: Moment, user: Any, refresh: RefreshUser
    ) -> RunInput:
        return RunInput(
            source=self._source,
            targets=self._targets,
            memory=self.memory,
            settings=self._settings,
            header=header,
            moment=moment,
            user=user,
            refresh=refresh,
            references=PlannedReferences(
                {policy.target for policy in self._missing if policy.deletes}
            ),
        )

    def _import_steps(self, run: RunInput, results: ResultRecorder) -> bool:
        """Import all steps in order; return False if the run stopped at an error."""
        windows, settings = WindowImporter(run, results), run.settings
        stage = "planning" if settings.dry_run else "importing"
        for step in self.memory.steps:
            for numbers in self._windows(step):
                done = windows.import_window(step, numbers)
                settings.progress(stage, self._report.done, self.total)
                if not done:
                    windows.finish_step(step)
                    return False
            windows.finish_step(step)
        return True

    def _windows(self, step: Step) -> Iterator[range]:
        """Yield the object numbers of each window of a step."""
        span, size = self.memory.span(step.index), self._settings.window
        for start in range(span.start, span.stop, size):
            self._settings.stop_if_cancelled()
            yield range(start, min(start + size, span.stop))

    @property
    def total(self) -> int:
        """Return the number of objects that get a result, and of rows reported without
        an object."""
        return max(self._objects, self._report.done)

    @property
    def _objects(self) -> int:
        chosen = self._settings.chosen
        return len(self.memory) if chosen is None else len(chosen)

    def locate_causes(self) -> None:
        """Add line and object of the first occurrence to each cause."""
        causes = self._report.causes
        add_first_occurrences(causes, self._source, self.memory, self._targets)
        if self._results.places is not None:
            self._results.places.locate(causes)

    def report_moved_marks(self) -> None:
        """Report how many rows were found under earlier names."""
        self._results.moved_marks(len(self.memory.moved_marks))

    def report_not_reached(self) -> None:
        """Report how many objects the run did not reach (OPEN-41)."""
        self._results.not_reached(self.total - self._report.done)
