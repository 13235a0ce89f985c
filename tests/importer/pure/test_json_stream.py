"""The JSON reader, compared with the standard library, with chunks of any size."""

from __future__ import annotations

import io
import json
import re
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from importer.package.json_stream import JsonError, JsonStream, place_of
from tests.drill import effort

SIZES = (1, 2, 3, 7, 64)
texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.one_of(
    st.integers(),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.sampled_from(["1e5", "1E+5", "-1.5e-7", "-0", "0.10", "12E2"]).map(Decimal),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)
    ),
    max_leaves=15,
)


class Writer:
    """A writer of JSON with random white space and escapes."""

    def __init__(self, data):
        self._space = data.draw(st.sampled_from(["", " ", "\n", "\r\n\t"]))
        self._escaped = data.draw(st.booleans())

    def text(self, value):
        if isinstance(value, dict):
            inner = [f"{self.text(k)}:{self.text(v)}" for k, v in value.items()]
            return self._around("{", inner, "}")
        if isinstance(value, list):
            return self._around("[", map(self.text, value), "]")
        if isinstance(value, Decimal):
            return str(value)
        return json.dumps(value, ensure_ascii=self._escaped)

    def _around(self, left, inner, right):
        between = f"{self._space},{self._space}"
        return f"{left}{self._space}{between.join(inner)}{self._space}{right}"


def wanted(text):
    return json.loads(text, parse_float=Decimal)


def read(raw, size):
    stream = JsonStream(io.BytesIO(raw), chunk=size)
    value = stream.value()
    if stream.peek():
        stream.fail("something stands behind it")
    return value


@effort(80)
@given(value=values, bom=st.booleans(), data=st.data())
def test_chunks_of_any_size_give_the_same_values(value, bom, data):
    text = Writer(data).text(value)
    raw = (b"\xef\xbb\xbf" if bom else b"") + f" {text}\n".encode()
    for size in SIZES:
        assert repr(read(raw, size)) == repr(wanted(text)), size


@effort(80)
@given(value=values, bom=st.booleans(), data=st.data())
def test_chunks_of_any_size_give_the_line_of_each_place(value, bom, data):
    text = f" {Writer(data).text(value)}\n"
    raw = (b"\xef\xbb\xbf" if bom else b"") + f"[{text},{text}] ".encode()
    for size in SIZES:
        stream = JsonStream(io.BytesIO(raw), chunk=size)
        more = stream.opened("[", "]")
        while more:
            stream.peek()
            assert stream.line() == place_of(io.BytesIO(raw), stream.place()).line
            stream.value()
            assert stream.line() == place_of(io.BytesIO(raw), stream.place()).line
            more = stream.more("]")


@pytest.mark.parametrize("number", ["1.5", "-1", "1e5", "1E+5", "12.75e-10", "true"])
@pytest.mark.parametrize("size", SIZES)
def test_a_number_cut_by_the_end_of_a_chunk_is_read_whole(number, size):
    for space in range(9):
        raw = f'{{"a":{" " * space}{number},"b":2}}'.encode()
        stream = JsonStream(io.BytesIO(raw), chunk=size)
        stream.take("{", "")
        assert stream.key() == "a"
        assert stream.value() == wanted(number)
        assert stream.more("}")
        assert stream.key() == "b"
        assert stream.value() == 2
        assert not stream.more("}")


@effort(25)
@given(
    value=st.one_of(st.lists(values), st.dictionaries(texts, values)), data=st.data()
)
def test_a_text_cut_off_anywhere_is_refused_with_a_place(value, data):
    raw = Writer(data).text(value).encode()
    size = data.draw(st.sampled_from(SIZES))
    for end in range(len(raw)):
        with pytest.raises(JsonError) as caught:
            read(raw[:end], size)
        assert caught.value.syntax
        assert caught.value.reason
        assert 0 <= caught.value.offset <= end


@effort(80)
@given(value=values, data=st.data())
def test_a_broken_text_is_refused_exactly_where_the_library_refuses_it(value, data):
    text = Writer(data).text(value)
    at = data.draw(st.integers(0, len(text)))
    junk = data.draw(st.sampled_from([*'{}[],:"\\-.eE0x', "\x01", "NaN", "tru"]))
    spoiled = text[:at] + junk + text[at:]
    try:
        expected = wanted(spoiled)
        good = "NaN" not in re.sub(r'"(\\.|[^"\\])*"', "", spoiled)
    except ValueError:
        good = False
    doubled = good and json.dumps(expected, default=str) != json.dumps(
        json.loads(spoiled, object_pairs_hook=_pairs, parse_float=Decimal), default=str
    )
    for size in SIZES:
        if good and not doubled:
            assert repr(read(spoiled.encode(), size)) == repr(expected)
        else:
            with pytest.raises(JsonError):
                read(spoiled.encode(), size)


def _pairs(pairs):
    keys = [key for key, _ in pairs]
    return dict(pairs) if len(set(keys)) == len(keys) else {"twice": keys}


@effort(60)
@given(items=st.lists(values, min_size=1, max_size=6), data=st.data())
def test_the_place_of_every_value_is_its_byte_in_the_file(items, data):
    writer = Writer(data)
    written = [writer.text(item).encode() for item in items]
    raw = b"[" + b" ,\n".join(written) + b"]"
    for size in SIZES:
        stream = JsonStream(io.BytesIO(raw), chunk=size)
        stream.take("[", "")
        for text in written:
            stream.peek()
            start = stream.place()
            stream.value()
            assert raw[start : start + len(text)] == text
            assert stream.place() == start + len(text)
            stream.more("]")


@effort(60)
@given(before=st.lists(texts, max_size=3), size=st.sampled_from(SIZES))
def test_invalid_utf8_is_reported_at_its_byte(before, size):
    good = json.dumps(before, ensure_ascii=False).encode()[:-1]
    raw = good + b', "x\xff"]'
    with pytest.raises(JsonError, match="UTF-8") as caught:
        read(raw, size)
    assert caught.value.offset == raw.index(b"\xff")


@pytest.mark.parametrize("size", SIZES)
def test_a_character_cut_in_half_by_the_end_of_the_file_is_refused(size):
    raw = '"Ж'.encode()[:-1]
    with pytest.raises(JsonError, match="UTF-8") as caught:
        read(raw, size)
    assert caught.value.offset == 1


@pytest.mark.parametrize(
    "text",
    ["NaN", "-Infinity", "1" * 1001, "0." + "1" * 1001, "[" * 200_000, '{"a":1,"a":2}'],
    ids=["NaN", "infinity", "digits", "places", "depth", "doubled"],
)
@pytest.mark.parametrize("size", [7, 65536])
def test_refused_json_values_are_not_syntax_errors(text, size):
    """OPEN-04."""
    with pytest.raises(JsonError) as caught:
        read(text.encode(), size)
    assert not caught.value.syntax


@effort(100)
@given(text=st.text(alphabet="aЖ😀\n", max_size=30), data=st.data())
def test_lines_and_columns_are_counted_in_characters(text, data):
    at = data.draw(st.integers(0, len(text)))
    place = place_of(io.BytesIO(text.encode()), len(text[:at].encode()))
    lines = text[:at].split("\n")
    assert (place.line, place.column) == (len(lines), len(lines[-1]) + 1)


@pytest.mark.parametrize("letter", ["x", "Ж", "😀"])
def test_the_column_in_a_very_long_line_is_counted_too(letter):
    text = "\n" + letter * 200_000
    place = place_of(io.BytesIO(text.encode()), len(text.encode()))
    assert (place.line, place.column) == (2, 200_001)


def test_a_byte_order_mark_does_not_count_as_a_column():
    place = place_of(io.BytesIO(b"\xef\xbb\xbf[1,]"), 6)
    assert (place.line, place.column) == (1, 4)
