"""The grouping of causes of one kind, with the number of values and the remedy."""

from __future__ import annotations

import msgspec

from importer.package.shapes import Owner
from importer.pipeline.causes import Cause, FirstOccurrence
from importer.runs.cause_groups import grouped

REMEDY = 'Refer to the row with {"$code": "%s"}, or give the object another code.'


def taken(value, dependants=0, **owner):
    row = {"model": "UnitsOfMeasure", "package": "northwind", "key": f"unit:{value}"}
    return Cause(
        code="taken",
        message=f'"{value}" is taken by {value} name.',
        about="code",
        value=value,
        count=1,
        dependants=dependants,
        first=FirstOccurrence(f"steps[0].items[{value}].code", 7, f"u:{value}"),
        owner=Owner(row_id=1, name=f"{value} name", **{**row, **owner}),
        remedy=REMEDY % value,
    )


def refused(value, message, about="lines.quantity", **keys):
    keys = {"code": "out-of-range", "count": 1, "dependants": 0, **keys}
    first = FirstOccurrence("steps[0].items[0].lines[0].quantity")
    return Cause(message=message, about=about, value=value, first=first, **keys)


def test_values_taken_by_rows_of_one_package_are_one_line_with_one_remedy():
    (group,) = grouped([taken("BG", 40), taken("BO", 9), taken("BX"), taken("CA")])
    assert group.message == (
        "4 values of code in UnitsOfMeasure are taken by objects of the package "
        "northwind."
    )
    assert [cause.value for cause in group.first_causes] == ["BG", "BO", "BX"]
    assert (group.more, group.refused, group.refused_at_least) == (1, 4, False)
    assert group.remedy == (
        'Refer to the row with {"$code": …}, or give the object another code.'
    )


def test_dependants_of_several_causes_count_at_least_once():
    """An object may wait for both: the sum would count it twice."""
    (group,) = grouped([taken("BG", 40), taken("BO", 9)])
    assert (group.waiting, group.waiting_at_least) == (40, True)
    (group,) = grouped([taken("BG", 40), taken("BO")])
    assert (group.waiting, group.waiting_at_least) == (40, False)


def test_another_package_target_property_or_remedy_is_another_kind():
    causes = [
        taken("a"),
        taken("b", package="demo"),
        taken("c", package=None),
        taken("d", model="Items"),
        msgspec.structs.replace(taken("e"), about="name"),
        msgspec.structs.replace(taken("f"), remedy="Give each a value of its own."),
    ]
    assert [group.causes for group in grouped(causes)] == [(one,) for one in causes]


def test_rows_without_a_package_are_described_as_such():
    (group,) = grouped([taken("a", package=None), taken("b", package=None)])
    assert group.message == (
        "2 values of code in UnitsOfMeasure are taken by rows that were entered by "
        "hand."
    )


def test_a_single_cause_keeps_its_own_text():
    cause = taken("BG", 40)
    (group,) = grouped([cause])
    assert group.is_single
    assert (group.message, group.remedy) == (cause.message, cause.remedy)
    assert (group.refused, group.waiting, group.more) == (1, 40, 0)


def test_refusals_whose_reasons_differ_only_in_the_value_are_one_kind():
    small = "%s is too small: give at least 0.001."
    (group,) = grouped([refused(value, small % value) for value in ("0", "-1", "-2.5")])
    assert group.message == (
        "3 values of lines.quantity: … is too small: give at least 0.001."
    )
    other = refused("7", "7 is too large.")
    assert len(grouped([refused("0", small % "0"), other])) == 2


def test_an_object_with_many_wrong_lines_counts_at_least_once():
    message = 'no row of Items has the code "%s"'
    (group,) = grouped(
        [refused(value, message % value, count=3) for value in ("a", "b")]
    )
    assert (group.refused, group.refused_at_least) == (3, True)
    assert group.message.endswith("no row of Items has the code …")


def test_causes_without_a_value_stay_apart_and_keep_their_order():
    causes = [
        refused(None, "no JSON", about=""),
        taken("a", 5),
        refused(None, "This must not be empty.", about="name"),
        taken("b"),
    ]
    groups = grouped(causes)
    assert [group.leading for group in groups] == causes[:3]
    assert groups[1].causes == (causes[1], causes[3])


def test_a_translated_text_keeps_the_place_of_the_value():
    causes = [
        refused(value, f"Keine Zeile von Items hat den Code „{value}“.")
        for value in ("a", "b")
    ]
    (group,) = grouped(causes)
    assert group.message == (
        "2 values of lines.quantity: Keine Zeile von Items hat den Code „…“."
    )
