"""The memory of a package, and reading a step again."""

from __future__ import annotations

from hypothesis import given, strategies as st

from importer.package.hashing import source_digest
from importer.package.references import Reference
from importer.package.shapes import Problem
from importer.pipeline.memory import Memory
from tests.drill import effort

# Per step: objects with an id (doubled or bad ones too), codes they use, and faults.
objects = st.tuples(
    st.sampled_from(["", "a", "b", "c", "d", "e"]),
    st.lists(st.sampled_from(["K", "L"]), max_size=2),
    st.booleans(),
)
packages = st.lists(st.lists(objects, max_size=5), min_size=1, max_size=4)


def fill(memory, steps, *, place=0):
    for step in steps:
        memory.begin_step()
        remember(memory, step, place=place)


def remember(memory, step, *, place=0):
    for identifier, codes, bad in step:
        digest = source_digest({"$id": identifier, "codes": codes})
        begins = (place + len(memory) * 10, 9, 1 + len(memory))
        number = memory.add(identifier, digest, begins)
        if bad:
            memory.names[number] = identifier
            memory.problems[number] = (Problem("name", "is bad"),)
        for code in codes:
            reference = Reference("parentId", "Items", "$code", code)
            memory.use_code(number, reference)


def known(memory):
    numbers = range(len(memory))
    return (
        memory.ids,
        memory.numbers,
        memory.problems,
        [memory.source_hash(n) for n in numbers],
        [memory.place(n) for n in numbers],
        [memory.file_line(n) for n in numbers],
        memory.names,
        [memory.step_of(n) for n in numbers],
        list(memory.code_uses(numbers)),
        memory.distinct_codes(numbers),
    )


@effort(150)
@given(steps=packages, twice=st.lists(objects, max_size=5))
def test_reading_a_step_again_leaves_nothing_of_the_first_reading(steps, twice):
    plain, again = Memory(), Memory()
    fill(plain, steps)
    fill(again, [*steps[:-1], twice])
    again.forget_from(again.first(len(steps) - 1))
    remember(again, steps[-1])
    assert known(again) == known(plain)


@effort(100)
@given(steps=packages)
def test_every_object_is_found_by_its_number(steps):
    memory = Memory()
    fill(memory, steps)
    expected = [
        (index, identifier)
        for index, step in enumerate(steps)
        for identifier, _, _ in step
    ]
    assert [(memory.step_of(n), i) for n, i in enumerate(memory.ids)] == expected
    for index, step in enumerate(steps):
        span = memory.span(index)
        assert len(span) == len(step)
        assert span.start == memory.first(index)
    first = {}
    for number, identifier in enumerate(memory.ids):
        first.setdefault(identifier, number)
    first.pop("", None)
    assert memory.numbers == first


@effort(100)
@given(steps=packages, start=st.integers(0, 9), size=st.integers(0, 9))
def test_the_codes_of_a_window_are_those_of_its_objects(steps, start, size):
    memory = Memory()
    fill(memory, steps)
    flat = [each for step in steps for each in step]
    window = range(min(start, len(flat)), min(start + size, len(flat)))
    expected = [(n, code) for n in window for code in flat[n][1]]
    assert [(u.number, u.code) for u in memory.code_uses(window)] == expected
    assert memory.distinct_codes(window) == {("Items", code) for _, code in expected}
    assert memory.named_codes() == {("Items", c) for _, codes, _ in flat for c in codes}


def test_rows_failures_and_names_belong_to_their_object():
    memory = Memory()
    fill(memory, [[("a", [], False), ("b", [], False)]])
    memory.name(0)
    memory.set_row(0, -1)
    memory.fail(1)
    assert [memory.named(n) for n in (0, 1)] == [True, False]
    assert [memory.failed(n) for n in (0, 1)] == [False, True]
    assert [memory.row_id(n) for n in (0, 1)] == [-1, None]
