"""Packages with an invalid header or step."""

from __future__ import annotations

from tests.importer.bad.row import BAD, around, bad_step, in_package, unit, without

_FIELDS = ("format", "package", "version", "origin", "configuration", "steps")
_GOOD = {"dictionary": "UnitsOfMeasure", "items": [unit()]}


def header(**fields):
    """Return a valid package with some header fields changed."""
    package = around(_GOOD)
    package.header.update(fields)
    return package


def lacking(name):
    """Return a valid package without a header field."""
    package = around(_GOOD)
    package.as_dict = lambda: without({**package.header, "steps": package.steps}, name)
    return package


def with_steps(steps):
    """Return a package with another value as its steps."""
    package = around(_GOOD)
    package.steps = steps
    return package


def step(**keys):
    """Return a valid step with the given changes."""
    return {**_GOOD, **keys}


_WRONG = [
    ("format", "platform-import/2"),
    ("format", "Platform-Import/1"),
    ("format", 1),
    ("package", ""),
    ("package", 7),
    ("package", None),
    ("package", "x" * 101),
    ("package", "$corpus"),
    ("version", 0),
    ("version", -1),
    ("version", 1.0),
    ("version", 1.5),
    ("version", True),
    ("version", "1"),
    ("version", None),
    ("version", 2147483648),
    ("origin", "Import"),
    ("origin", ""),
    ("origin", None),
    ("configuration", "trade"),
    ("configuration", "Retail"),
    ("configuration", None),
]

HEADERS = [
    *(in_package(f"no {name}", lacking(name), name) for name in _FIELDS),
    *(
        in_package(f"{name} is {str(value)[:20]!r}", header(**{name: value}), name)
        for name, value in _WRONG
    ),
    in_package("an unknown key", header(author="nobody"), "author"),
    in_package(
        "a key in the wrong case",
        header(Version=1),
        "Version",
    ),
    in_package("a header key with letters exchanged", header(verison=1), "verison",
               says='unknown key; did you mean "version"?'),
    in_package("nothing at all", b"{}", *_FIELDS),
    in_package("a package that belongs elsewhere", header(configuration="X"),
               "configuration", says='"X"'),
    in_package("steps is an object", with_steps({}), "steps"),
    in_package("steps is null", with_steps(None), "steps"),
    in_package("a step is a text", with_steps(["Items"]), "steps[0]"),
    in_package("a step is null", with_steps([_GOOD, None]), "steps[1]"),
    in_package("a step is an array", with_steps([[_GOOD]]), "steps[0]"),
]  # fmt: skip

STEPS = [
    bad_step("a kind with a letter missing", {"dictionry": "Items", "items": []},
             "dictionry", says='unknown key; did you mean "dictionary"?'),
    bad_step("a policy with a letter missing", step(onChnge="skip"), "onChnge",
             says='did you mean "onChange"?'),
    bad_step("a value of a policy with a letter missing", step(onChange="updat"),
             "onChange", says='did you mean "update"?'),
    bad_step("match with a letter missing", step(match=["cod"]), "match[0]",
             says='did you mean "code"?'),
    bad_step("no kind", without(_GOOD, "dictionary"), ""),
    bad_step("an unknown kind", {"table": "Items", "items": []}, ""),
    bad_step("an unknown catalog", step(dictionary="Gadgets"), "dictionary"),
    bad_step("a catalog in the wrong case", step(dictionary="unitsOfMeasure"),
             "dictionary", says='did you mean "UnitsOfMeasure"?'),
    bad_step("a catalog in the singular", step(dictionary="Item"), "dictionary",
             says='did you mean "Items"?'),
    bad_step("a catalog that is no target", step(dictionary="Constants"), "dictionary"),
    bad_step("a catalog that is a number", step(dictionary=1), "dictionary"),
    bad_step("a catalog that is null", step(dictionary=None), "dictionary"),
    bad_step("no items", without(_GOOD, "items"), "items"),
    bad_step("items is an object", step(items={"a": unit()}), "items"),
    bad_step("items is null", step(items=None), "items"),
    bad_step("items is a text", step(items="all"), "items"),
    bad_step("an unknown key", step(comment="x"), "comment"),
    bad_step("a policy in the wrong case", step(onchange="skip"), "onchange"),
    bad_step("submit in a step of a catalog", step(submit=True), "submit",
             says="steps of this kind don't have this key"),
    bad_step("match is a text", step(match="code"), "match"),
    bad_step("match is null", step(match=None), "match"),
    bad_step("match by an unknown property", step(match=["code", "colour"]), "match[1]"),
    bad_step("match by the id of the object", step(match=["$id"]), "match[0]"),
    bad_step("match by the id of the row", step(match=["id"]), "match[0]"),
    bad_step("match in the wrong case", step(match=["Code"]), "match[0]"),
    bad_step("match by a number", step(match=[1]), "match[0]"),
    bad_step("onChange overwrite", step(onChange="overwrite"), "onChange"),
    bad_step("onChange in the wrong case", step(onChange="Skip"), "onChange"),
    bad_step("onChange null", step(onChange=None), "onChange"),
    bad_step("onUserModified update", step(onUserModified="update"), "onUserModified"),
    bad_step("onUserModified true", step(onUserModified=True), "onUserModified"),
    bad_step("onDeleted delete", step(onDeleted="delete"), "onDeleted"),
    bad_step("two wrong policies", step(onChange=1, onDeleted=2), "onChange", "onDeleted"),
    *(
        in_package(f"an object that is {shown}", around(step(items=[value])), BAD)
        for shown, value in (
            ("null", None),
            ("a number", 1),
            ("a text", "item:1"),
            ("an array", [unit()]),
        )
    ),
    in_package("an object id twice in one step", around(step(items=[unit(), unit()])),
               "steps[1].items[1].$id", says='"bad"'),
    in_package("an object id twice in the package",
               around(step(items=[unit(**{"$id": "before"})])), f"{BAD}.$id"),
    in_package("an object id twice with other letters around it",
               around(step(items=[unit(), unit(**{"$id": "Bad", "code": "b2"}), unit()])),
               "steps[1].items[2].$id"),
]  # fmt: skip
