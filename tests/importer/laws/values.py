"""Strategies for JSON values as the importer's reader returns them, and wilder ones."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st

ODD_TEXTS = [
    "",
    "$",
    "$now",
    "$today",
    "$today+1d",
    "$today+123456d",
    "$today\n",
    "$NOW",
    "A",
    "goods",
    "1.50",
    "-7",
    "12\n",
    "\uff11",
    "1e5",
    "2024-02-29",
    "2024-02-30T10:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "\x00",
    "\ud800",
    "Ж" * 201,
    "x" * 300,
    "a@b.example",
]
ODD_NUMBERS = [0, 1, -1, 6, 7, 10**14, 10**18, 2**63, -(10**900)]
ODD_DECIMALS = ["1.0", "0.00001", "1E3000000", "-1E-3000000", "99999999999999.9999"]

texts = st.one_of(st.sampled_from(ODD_TEXTS), st.text(max_size=8))
numbers = st.one_of(
    st.sampled_from(ODD_NUMBERS),
    st.sampled_from(ODD_DECIMALS).map(Decimal),
    st.integers(-20, 20),
)
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
references = st.builds(
    lambda by, key: {by: key},
    st.sampled_from(["$ref", "$code", "$id", "code"]),
    st.one_of(texts, scalars),
)
wild = st.one_of(
    scalars,
    references,
    st.lists(scalars, max_size=3),
    st.dictionaries(texts, scalars, max_size=3),
)
# What an API body can hold but a package cannot.
floats = st.sampled_from([0.1, 1e300, float("inf"), float("-inf"), float("nan")])


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


bodies = st.one_of(wild, floats, st.sampled_from([10**4000, nested(400)]))


def fitting(field):
    """Draw a value of a property's own type."""
    return {
        "text": st.sampled_from(["", "A", "Жест", " x "]),
        "integer": st.integers(-1, 9),
        "decimal": st.sampled_from([1, Decimal("1.50"), "7.25", -3]),
        "boolean": st.booleans(),
        "date": st.sampled_from(["2024-02-29", "$today-3d", "$now"]),
        "dateTime": st.sampled_from(["2024-02-29T12:00:00Z", "$today"]),
        "choice": st.sampled_from(field.choices or ("x",)),
        "reference": st.sampled_from([{"$ref": "u1"}, {"$code": "A"}]),
        "lines": st.just([]),
    }[field.kind.value]
