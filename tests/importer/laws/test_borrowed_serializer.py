"""A borrowed serializer gives the same results as a fresh one, and raises only its own
errors."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st
from rest_framework.exceptions import ValidationError
from rest_framework.validators import UniqueValidator

from catalogs.serializers import CATALOGS
from importer.serializers import borrowed
from tests.drill import effort
from tests.importer.laws.values import bodies, nested, texts

LONGEST = 2.0


class Lookup:
    """A look-up of three live rows and a deleted one in every table; the first is a
    folder."""

    def row(self, model, row_id):
        if row_id not in (1, 2, 3, 4):
            return None
        row = model(pk=row_id, is_deleted=row_id == 4)
        if hasattr(row, "is_folder"):
            row.is_folder = row_id == 1
        return row

    def name(self, row):
        return str(row)


CONTEXT = {"lookup": Lookup()}
GOOD = {
    "code": ["A", " b ", "x" * 51],
    "name": ["North", "", " "],
    "isFolder": [False, True],
    "parentId": [1, "2", 4, 5, None],
    "unitOfMeasureId": [1, 4, "٣"],
    "currencyId": [1, 2, 10**18],
    "category": ["goods", None],
    "price": ["1.5", 3, "-0", None],
    "minorUnits": [0, 6, 7, None],
    "email": ["a@b.example", "a@b", None],
    "kind": ["asset", None],
    "role": ["bank", ""],
}


@pytest.fixture
def no_uniqueness(monkeypatch):
    monkeypatch.setattr(UniqueValidator, "__call__", lambda *args: None)


def answer(serializer, body):
    """Return values or messages; any other exception fails the test."""
    began = time.thread_time()
    try:
        got = ("values", repr(dict(serializer.run_validation(body))))
    except ValidationError as refusal:
        got = ("messages", repr(refusal.detail))
    assert time.thread_time() - began < LONGEST
    return got


def requests(cls):
    """Draw input for a serializer: valid and wild values under its names and others."""
    names = [*cls().fields, "colour"]
    value = {
        name: st.one_of(st.sampled_from(GOOD.get(name, ["A"])), bodies)
        for name in names
    }
    body = st.lists(st.sampled_from(names), unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({name: value[name] for name in chosen})
    )
    # The first of each fit together, so that some bodies are accepted whole.
    good = st.fixed_dictionaries(
        {
            n: st.sampled_from([*GOOD.get(n, "A")[:1] * 9, *GOOD.get(n, "A")])
            for n, field in cls().fields.items()
            if not field.read_only
        }
    )
    return st.one_of(body, good, body, st.dictionaries(texts, bodies, max_size=3))


def rows(cls):
    model = cls.Meta.model
    row = model(pk=1, code="A", name="North")
    if hasattr(row, "is_folder"):
        row.is_folder = False
    return st.sampled_from([(None, False), (row, False), (row, True)])


@pytest.mark.parametrize("cls", CATALOGS)
def test_a_borrowed_serializer_answers_like_a_fresh_one(no_uniqueness, cls):
    verdicts = set()

    @effort(60)
    @given(body=requests(cls), other=requests(cls), how=rows(cls))
    def compare(body, other, how):
        row, partial = how

        def fresh(given):
            return cls(instance=row, partial=partial, context=CONTEXT)

        lent = {"instance": row, "partial": partial, "context": CONTEXT}
        first, second = answer(fresh(body), body), answer(fresh(other), other)
        verdicts.add(first[0])
        with borrowed(cls, **lent) as outer:
            assert answer(outer, body) == first
            with borrowed(cls, **lent) as inner:
                assert inner is not outer
                assert answer(inner, other) == second
            assert answer(outer, body) == first
        with borrowed(cls, **lent) as again:
            assert answer(again, other) == second

    compare()
    assert verdicts == {"values", "messages"}


@pytest.mark.parametrize("cls", CATALOGS)
@pytest.mark.parametrize(
    "value",
    [10**4299, 10**5000, nested(900), float("nan"), {"$ref": "x"}, b"x", "\ud800"],
    ids=["long", "too long", "deep", "nan", "reference", "bytes", "surrogate"],
)
def test_no_value_crashes_a_serializer(no_uniqueness, cls, value):
    for name, field in cls().fields.items():
        if field.read_only:
            continue
        with borrowed(cls, partial=True, context=CONTEXT) as lent:
            kind, told = answer(lent, {name: value})
        assert kind == "messages", name
        assert repr(name) in told


@pytest.mark.parametrize("cls", CATALOGS)
def test_null_clears_whatever_is_optional(no_uniqueness, cls):
    row = cls.Meta.model(pk=1, code="A", name="North")
    for name, field in cls().fields.items():
        if field.read_only:
            continue
        with borrowed(cls, instance=row, partial=True, context=CONTEXT) as lent:
            kind, _ = answer(lent, {name: None})
        assert (kind == "messages") == field.required, name


@pytest.mark.parametrize("cls", CATALOGS)
def test_numbers_and_texts_are_not_interchangeable(no_uniqueness, cls):
    decimals = {"price"}
    for name, field in cls().fields.items():
        if field.read_only or name in decimals or name.endswith("Id"):
            continue
        for value in (1, 1.5, "1"):
            wanted = field.__class__.__name__ in ("TextField", "EmailField")
            if isinstance(value, str) and wanted:
                continue
            with borrowed(cls, partial=True, context=CONTEXT) as lent:
                kind, _ = answer(lent, {name: value})
            whole = field.__class__.__name__ == "IntegerField" and value == 1
            assert (kind == "values") == (whole and not isinstance(value, str)), name
