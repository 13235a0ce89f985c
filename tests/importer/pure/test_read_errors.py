"""Packages with very many steps: broken ones end the reading, good ones cost nothing."""

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
    """Return the list of what the schema was put to."""
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
    """IMP-135, OPEN-35: what is told is enough, and costs no more than what is told."""
    registry.package_format().header_check  # noqa: B018 - compiled once for all packages
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
def test_one_place_full_of_errors_is_told_up_to_the_hundredth(raw):
    told = refused(raw)
    assert len(told) == 101
    assert told[-1].message == STOPPED


def test_ids_that_stand_twice_are_counted_beyond_the_hundredth():
    told = refused(written([{**GOOD, "items": [UNIT] * 351}]))
    assert told[0].path == "steps[0].items[1].$id"
    assert len(told) == 101
    assert told[-1].message == "250 further errors are not listed here."


def test_ids_of_a_step_that_is_read_twice_are_counted_once():
    step = {"items": [UNIT] * 351, "dictionary": "UnitsOfMeasure"}
    assert refused(written([step]))[-1].message.startswith("250 further")


def test_the_header_in_front_of_broken_steps_names_the_run():
    named = []
    refused(written([1] * MANY), named=named.append)
    assert [header.package for header in named] == [HEADER["package"]]


def test_a_header_behind_broken_steps_is_not_missed():
    raw = json.dumps({"versoin": 1, "steps": [1] * MANY, **HEADER}).encode()
    named = []
    told = refused(raw, named=named.append)
    assert (told[0].path, told[1].path) == ("versoin", "steps[0]")
    assert named == []


def test_thousands_of_good_steps_are_judged_once(judged):
    steps = [{**GOOD, "items": [{**UNIT, "$id": str(n)}]} for n in range(2000)]
    memory = Memory()
    raw = written(steps)
    PackageReader(io.BytesIO(raw), registry.package_format(), memory).read()
    assert len(judged) <= 2
    assert len(memory.steps) == len(memory) == 2000
    assert len({id(step.fields) for step in memory.steps}) == 1


@pytest.mark.parametrize("step", [GOOD, {"dictionary": "?", "items": [UNIT] * 3000}])
def test_steps_without_a_good_object_let_the_run_be_stopped(step):
    """IMP-283: cancel is heard wherever reading takes long."""

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


def test_the_object_that_an_unknown_id_meant_is_named():
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
