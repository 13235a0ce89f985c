"""Packages with very many steps: invalid ones end the reading, valid ones are checked
once."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest

from importer import registry
from importer.package.header_check import HeaderCheck
from importer.package.shapes import PackageError, Severity
from importer.pipeline.memory import Memory
from importer.pipeline.read import PackageReader
from tests.importer.pure.test_reader import HEADER, UNIT

MANY = 20_000
GOOD = {"dictionary": "UnitsOfMeasure", "items": []}
STOPPED = "Reading stopped after 100 errors; there may be more."


def written(steps, **header):
    return json.dumps({**HEADER, "steps": steps, **header}).encode()


def refused(raw, **hooks):
    reader = PackageReader(
        io.BytesIO(raw), registry.package_format(), Memory(), **hooks
    )
    with pytest.raises(PackageError) as caught:
        reader.read()
    return caught.value.diagnostics


@pytest.fixture
def judged(monkeypatch):
    """Return the list of values that the schema has checked."""
    registry.package_format().header_check({})  # compiles it once for all packages
    seen = []
    judge = HeaderCheck._judge

    def counted(self, validator, keys, base):
        seen.append(base)
        return judge(self, validator, keys, base)

    monkeypatch.setattr(HeaderCheck, "_judge", counted)
    return seen


@pytest.mark.parametrize(
    "step", [1, {}, {"dictionry": "Items", "items": []}, {**GOOD, "items": 5}]
)
def test_reading_stops_at_the_hundredth_broken_step(step, judged):
    """IMP-135, OPEN-35: the number and the cost of reported errors are bounded."""
    raw = written([step] * MANY)
    tracemalloc.start()
    told = refused(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [one.severity for one in told] == [Severity.ERROR] * 100 + [Severity.INFO]
    assert told[-1].message == STOPPED
    assert all(one.path.startswith("steps[") for one in told[:100])
    assert len(judged) <= 101  # the header, and the steps up to the last one told
    assert peak < 5_000_000


@pytest.mark.parametrize(
    "raw",
    [
        written([{**GOOD, **{f"key{number}": 1 for number in range(3000)}}]),
        written([{**GOOD, "match": ["x"] * 3000}]),
        written([], **{f"key{number}": 1 for number in range(3000)}),
    ],
    ids=["one step", "one match", "the header"],
)
def test_many_errors_in_one_place_are_reported_up_to_the_hundredth(raw):
    told = refused(raw)
    assert len(told) == 101
    assert told[-1].message == STOPPED


def test_duplicate_ids_beyond_the_hundredth_are_counted():
    told = refused(written([{**GOOD, "items": [UNIT] * 351}]))
    assert told[0].path == "steps[0].items[1].$id"
    assert len(told) == 101
    assert told[-1].message == "250 further errors are not listed here."


def test_ids_of_a_step_that_is_read_twice_are_counted_once():
    step = {"items": [UNIT] * 351, "dictionary": "UnitsOfMeasure"}
    assert refused(written([step]))[-1].message.startswith("250 further")


def test_a_header_before_broken_steps_names_the_run():
    named = []
    refused(written([1] * MANY), named=named.append)
    assert [header.package for header in named] == [HEADER["package"]]


def test_a_header_after_broken_steps_is_not_reported_as_missing():
    raw = json.dumps({"versoin": 1, "steps": [1] * MANY, **HEADER}).encode()
    named = []
    told = refused(raw, named=named.append)
    assert (told[0].path, told[1].path) == ("versoin", "steps[0]")
    assert named == []


def test_thousands_of_valid_steps_are_checked_once(judged):
    steps = [{**GOOD, "items": [{**UNIT, "$id": str(n)}]} for n in range(2000)]
    memory = Memory()
    raw = written(steps)
    PackageReader(io.BytesIO(raw), registry.package_format(), memory).read()
    assert len(judged) <= 2
    assert len(memory.steps) == len(memory) == 2000
    assert len({id(step.fields) for step in memory.steps}) == 1


@pytest.mark.parametrize("step", [GOOD, {"dictionary": "?", "items": [UNIT] * 3000}])
def test_a_run_can_be_stopped_while_reading_invalid_objects(step):
    """IMP-283: cancelling works wherever reading takes long."""

    class Stopped(Exception):
        pass

    calls = []

    def passed(count):
        calls.append(count)
        if len(calls) > 2:
            raise Stopped

    raw = written([step] * MANY if step is GOOD else [step])
    reader = PackageReader(io.BytesIO(raw), registry.package_format(), Memory(), passed)
    with pytest.raises(Stopped):
        reader.read()


def test_a_similar_id_is_suggested_for_an_unknown_one():
    """IMP-091: a reference with a letter missing."""
    folder = {"isFolder": True, "code": "a", "name": "a"}
    items = [
        {**folder, "$id": "folder:tools"},
        {**folder, "$id": "folder:saws", "parentId": {"$ref": "folder:tols"}},
    ]
    raw = written([{"dictionary": "Items", "items": items}])
    memory = Memory()
    PackageReader(io.BytesIO(raw), registry.package_format(), memory).read()
    (problem,) = memory.problems[1]
    assert problem.message.endswith('"folder:tols"; did you mean "folder:tools"?')


def test_a_long_value_beside_the_objects_is_refused_at_its_place():
    told = refused(written([{**GOOD, "match": ["code"] * 20_000}]))
    assert [one.path for one in told] == ["steps[0]"]
    assert "is larger than 65536 bytes" in told[0].message
