"""The problems of one object are bounded."""

from __future__ import annotations

import tracemalloc

from importer import registry
from importer.package.hashing import canonical
from importer.package.printable_text import LONGEST_VALUE
from importer.package.shapes import (
    MOST_PROBLEMS,
    ObjectError,
    Problem,
    Problems,
    Refusal,
)

MORE = "further errors of this object are not listed"


def checked(item, **keys):
    package_format = registry.package_format()
    objects = package_format.step_objects(keys)
    return package_format.item_check(objects, ())(item, canonical(item)).problems


def test_thirty_thousand_empty_lines_give_twenty_sentences():
    order = {"$id": "o", "lines": [{}] * 30_000}
    tracemalloc.start()
    listed = checked(order, document="SalesOrders").listed()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(listed) == MOST_PROBLEMS + 1
    assert listed[-1].path == ""
    assert listed[-1].message.endswith(MORE)
    assert sum(len(problem.message) for problem in listed) < 3000
    assert peak < 5_000_000


def test_problems_beyond_the_limit_are_counted():
    unit = {"$id": "u", "code": "u", "name": "u", **{f"x{n}": 1 for n in range(500)}}
    listed = checked(unit, dictionary="UnitsOfMeasure").listed()
    assert [problem.path for problem in listed] == [*(f"x{n}" for n in range(20)), ""]
    assert listed[-1].message == f"480 {MORE}"


def test_a_refusal_of_the_services_is_bounded_too():
    """IMP-014: as many messages of the services as people can read."""
    many = (Problem(f"lines[{n}].price", "p" * 5000) for n in range(1000))
    refusal = Refusal(many)
    assert len(refusal.problems) == MOST_PROBLEMS + 1
    assert refusal.problems[-1].message == f"980 {MORE}"
    assert len(str(refusal)) < 25_000


def test_a_value_of_a_megabyte_is_cut_in_a_problem():
    (problem,) = ObjectError([Problem("a", "b", value="v" * 1_000_000)]).problems
    assert len(problem.value) == LONGEST_VALUE
    assert problem.value.endswith("v…")


def test_few_problems_are_listed_unchanged():
    few = [Problem("a", "b", code="taken", value="c"), Problem("", "d")]
    assert ObjectError(few).problems == tuple(few)


def test_problems_that_were_only_counted_still_count():
    first, second = Problems(), Problems()
    first.extend([Problem("a", "b")] * 25)
    second.extend(first)
    assert second.listed()[-1].message == f"5 {MORE}"


def test_an_empty_isFolder_causes_no_further_errors():
    """IMP-089: only the wrong property is named."""
    goods = {"$id": "g", "code": "g", "name": "g", "category": "goods"}
    for value in (None, "no", 0):
        (problem,) = checked({**goods, "isFolder": value}, dictionary="Items")
        assert problem.path == "isFolder"
        assert problem.message.startswith("must be true or false, not ")
