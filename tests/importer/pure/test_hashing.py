"""The hash of an object, compared with a second implementation of the canonical
form."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from importer.package.hashing import canonical, source_digest, source_hash
from importer.package.json_values import read_value
from tests.drill import effort
from tests.importer.laws import canonical as oracle

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)
decimals = st.decimals(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), decimals, texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)
    ),
    max_leaves=12,
)
items = st.dictionaries(texts, values, max_size=5)


@effort(120)
@given(item=items)
def test_the_canonical_form_is_as_documented(item):
    assert canonical(item).decode() == oracle.canonical(item)
    assert source_hash(item) == oracle.hash_of(item)
    assert source_digest(item).hex() == source_hash(item)


@effort(40)
@given(item=items, data=st.data())
def test_the_order_of_keys_does_not_change_the_hash(item, data):
    keys = data.draw(st.permutations(list(item)))
    assert source_hash({key: item[key] for key in keys}) == source_hash(item)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.5", "1.50"),
        ("1", "1.0"),
        ("1", '"1"'),
        ("1e1", "10"),
        ("null", '"null"'),
        ("[1,2]", "[2,1]"),
        ("0.0", "-0.0"),
        ('{"$ref":"a"}', '{"$code":"a"}'),
        ('"a"', '"a "'),
        ('"é"', '"e\u0301"'),
    ],
)
def test_every_change_of_a_value_changes_the_hash(one, other):
    hashes = {source_hash({"$id": "x", "a": read_value(v)}) for v in (one, other)}
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"\\u0416"', '"Ж"'),
        ('"\\/"', '"/"'),
        ('"\\ud83d\\ude00"', '"😀"'),
        ("{ }", "{}"),
        ('{"b":1, "a":2}', '{"a":2,"b":1}'),
        ("-0", "0"),
        ("1E5", "1e+5"),
    ],
)
def test_another_notation_of_the_same_value_does_not_change_the_hash(one, other):
    assert source_hash({"a": read_value(one)}) == source_hash({"a": read_value(other)})


def test_the_hash_of_a_known_object_never_changes():
    """IMP-117."""
    item = {"name": "Жест", "$id": "u1", "price": Decimal("1.50"), "n": 10**30}
    form = f'{{"$id":"u1","n":{10**30},"name":"Жест","price":1.50}}'
    assert canonical(item).decode() == form
    assert source_hash(item) == (
        "71af8edd1c44496cb49121b35b524bf65dab44953566e14b2fac867536e493c7"
    )


def test_a_lone_surrogate_has_no_hash():
    with pytest.raises(UnicodeEncodeError):
        source_hash({"a": "\ud800"})
