"""Packages that are invalid as texts."""

from __future__ import annotations

from tests.importer.bad.row import BAD, around, in_package, unit

DEEP = 100_000
_GOOD = around({"dictionary": "UnitsOfMeasure", "items": [unit()]}).as_bytes()
_ITEM = b'"name":"Bad"'


def spoilt(old, new):
    """Return a valid package with one piece of its text replaced."""
    assert _GOOD.count(old) == 1, old
    return _GOOD.replace(old, new)


def named(value):
    """Return a valid package with another name of its middle object."""
    return spoilt(_ITEM, b'"name":' + value)


_BEHIND_ITEM = _GOOD.index(_ITEM) + len(_ITEM)

SYNTAX = [
    in_package("an empty file", b"", "$", says="line 1, column 1"),
    in_package("nothing but blanks", b" \n\t ", "$", says="line 2"),
    in_package("a mark of UTF-8 and nothing else", b"\xef\xbb\xbf", "$"),
    in_package("cut off in the header", _GOOD[:20], "$", says="ends"),
    in_package("cut off inside an object", _GOOD[: _BEHIND_ITEM - 4], "$", says="ends"),
    in_package("cut off behind an object", _GOOD[: _BEHIND_ITEM + 1], "$", says="ends"),
    in_package("cut off behind a comma", _GOOD[: _BEHIND_ITEM + 1] + b",", "$"),
    in_package("cut off before the last bracket", _GOOD[:-1], "$", says="ends"),
    in_package("something behind the end", _GOOD + b" x", "$"),
    in_package("a second package behind the first", _GOOD + b"\n" + _GOOD, "$"),
    in_package("a bracket too many", _GOOD + b"}", "$"),
    in_package("a comment to the line's end", b"// my package\n" + _GOOD, "$"),
    in_package("a comment between values", named(b'"Bad" /* why */'), "$"),
    in_package("there is a comma too many in an object", named(b'"Bad",'), "$"),
    in_package(
        "there is a comma too many in an array",
        spoilt(_ITEM + b"}", _ITEM + b"},"),
        "$",
    ),
    in_package("a comma missing", spoilt(b',"name":"Bad"', b' "name":"Bad"'), "$"),
    in_package("a colon missing", spoilt(_ITEM, b'"name" "Bad"'), "$"),
    in_package("a key without quotes", spoilt(_ITEM, b'name:"Bad"'), "$"),
    in_package("single quotes", named(b"'Bad'"), "$"),
    in_package("a number with a leading zero", named(b"01"), "$"),
    in_package("a number with a plus", named(b"+1"), "$"),
    in_package("a word that is no value", named(b"yes"), "$"),
    in_package("an unknown escape", named(b'"a\\xb"'), "$"),
    in_package("a line end inside a text", named(b'"a\nb"'), "$"),
    in_package(
        "a text in UTF-16", b"\xff\xfe" + _GOOD.decode().encode("utf-16-le"), "$"
    ),
    in_package(
        "a text in UTF-16 without a mark", _GOOD.decode().encode("utf-16-be"), "$"
    ),
    in_package("a text in Windows letters", named('"Stück"'.encode("cp1252")), "$"),
    in_package("bytes of no text", named(b'"\xff\xfe\xfd"'), "$"),
    in_package("an array of steps alone", b"[" + _GOOD + b"]", "$"),
    in_package("a text instead of a package", b'"package"', "$"),
    in_package("null instead of a package", b"null", "$"),
]

VALUES = [
    in_package("NaN", named(b"NaN"), BAD, says="NaN"),
    in_package("Infinity", named(b"Infinity"), BAD),
    in_package("minus Infinity", named(b"-Infinity"), BAD),
    in_package("NaN in the header", spoilt(b'"version":1', b'"version":NaN'), "$"),
    in_package("half a surrogate pair", named(b'"\\ud83d"'), BAD),
    in_package("half a surrogate pair as a key", spoilt(_ITEM, b'"\\ude00":1'), BAD),
    in_package(
        "half a surrogate pair in the header",
        spoilt(b'"package":"corpus.bad"', b'"package":"\\ud83d"'),
        "$",
    ),
    in_package(
        "a key twice in the header",
        spoilt(b'"version":1', b'"version":1,"version":2'),
        "$",
        says='"version"',
    ),
    in_package(
        "a key twice in a step",
        spoilt(
            b'"dictionary":"UnitsOfMeasure"',
            b'"dictionary":"UnitsOfMeasure","dictionary":"Items"',
        ),
        "steps[1]",
        says='"dictionary"',
    ),
    in_package("a key twice in an object", named(b'"Bad","name":"x"'), BAD),
    in_package(
        "a key twice inside a value", named(b'{"$ref":"before","$ref":"bad"}'), BAD
    ),
    in_package("too deep brackets in an object", named(b"[" * DEEP + b"]" * DEEP), BAD),
    in_package(
        "too deep objects in an object",
        named(b'{"a":' * DEEP + b"1" + b"}" * DEEP),
        BAD,
    ),
    in_package(
        "too deep brackets in the header",
        spoilt(b'"version":1', b'"version":' + b"[" * DEEP + b"]" * DEEP),
        "$",
    ),
    in_package("a whole number of 5,000 digits", named(b"9" * 5000), BAD),
    in_package("a fraction of 5,000 digits", named(b"0." + b"1" * 5000), BAD),
    in_package("a number out of all range", named(b"1E99999999999999999999"), BAD),
    in_package(
        "a version of 5,000 digits",
        spoilt(b'"version":1', b'"version":' + b"1" * 5000),
        "$",
    ),
]

TEXTS = [*SYNTAX, *VALUES]
