"""An editor with the published schema and a dry run accept the same objects: the schema
refuses nothing that a dry run accepts, and everything that it has words for."""

from __future__ import annotations

import io
import json
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from importer import registry
from importer.package.hashing import canonical
from importer.package.references import BY_CODE
from importer.services import ImportOptions, import_package
from tests.builders import a_package, code
from tests.drill import effort

# The codes of refusals that a schema can express.
EXPRESSIBLE = {
    "required",
    "unknown-property",
    "not-a-text",
    "not-a-number",
    "not-a-boolean",
    "not-a-date",
    "not-a-choice",
    "not-a-reference",
    "not-a-list",
    "not-an-object",
    "no-such-day",
    "too-long",
    "out-of-range",
    "too-many-digits",
    "control-characters",
    "no-offset",
}
TIMED = {"not-a-date", "no-such-day", "no-offset", "out-of-range"}
TEXTS = [
    "A",
    "Жест",
    " x ",
    "",
    "  \t",
    "\u3000",
    "$x",
    " $x",
    "a\x01b",
    "\x1f",
    "a\tb",
]
TEXTS += ["\ufeff", "x" * 60, "x" * 251, "x" * 260 + " ", "EUR" + " " * 60]
MAILS = ["a@b.example", " a@b.example ", "ж@жест.example", '"a b"@x', "a", "a@", "@b"]
DECIMALS = [1, -3, 0, Decimal("1.50"), Decimal("0.0001"), Decimal("-0.5"), 10**14]
DECIMALS += [
    Decimal("1E+3"),
    "7.25",
    "-0",
    "-0.00",
    "0",
    "0.0001",
    "0.00001",
    "00012.5",
]
DECIMALS += [
    "99999999999999.9999",
    "100000000000000",
    " 1",
    "1.",
    ".5",
    "+1",
    "-1",
    "x",
]
DAYS = [
    "2024-02-29",
    "2024-02-30",
    "2023-02-29",
    "0000-01-01",
    "2024-13-01",
    "2024-2-9",
]
DAYS += [" 2024-02-29", "2024-02-29\n", "20240229", "9999-12-31", "$today-3d", "$now"]
DAYS += ["$today-123456d", "$tomorrow", "", "2024-02-29T00:00:00Z"]
TIMES = [
    "12:00:00",
    "12:00",
    "12",
    "1200",
    "120030",
    "12:00:00.5",
    "12:00:00,123456789",
]
TIMES += ["9:5", "24:00:00", "25:00", "12:60:00", "23:59:60", "12:00:00 ", ""]
OFFSETS = ["Z", "z", "+02:00", "-0330", "+02", "", "+25:00", "+02:00:30", " Z", "\n"]
REFERENCES = [{}, {"$ref": "nothing"}, {"$code": ""}, {"$code": "$a"}, {"code": "A"}]
REFERENCES += [{"$code": "A", "$ref": "b"}, {"$ref": "x" * 201}, {"$code": 5}, 5, "A"]
ANYTHING = [None, True, 0, 7, Decimal("1.0"), "A", "true", [], {}, [5], ["A"]]
GOOD = {
    "text": ["A", "Жест", " x "],
    "integer": [0, 2, 6],
    "decimal": [1, Decimal("1.50"), "7.25", "0.0001"],
    "boolean": [True, False],
    "date": ["2024-02-29", "$today+1d"],
    "dateTime": ["2024-02-29T12:00:00Z", "2024-02-29", "$now"],
}
moments = st.builds(
    lambda day, between, time, offset: day + between + time + offset,
    st.sampled_from([*DAYS, *DAYS[:1] * 20]),
    st.sampled_from([*"TTTTTt _", ""]),
    st.sampled_from(TIMES),
    st.sampled_from(OFFSETS),
)


def good(field):
    """Draw a value that is mostly accepted."""
    kind = field.kind.value
    if kind == "reference":
        folder = field.name == "parentId"
        return st.just({BY_CODE: "FOLDER" if folder else "A"})
    if kind == "lines":
        line = {f.name: good(f) for f in field.lines}
        return st.lists(st.fixed_dictionaries(line), min_size=1, max_size=2)
    if field.limits.email:
        return st.sampled_from(MAILS[:2])
    return st.sampled_from(field.choices or GOOD[kind])


def odd(field):
    """Draw a value at the edge of what is accepted."""
    kind, anything = field.kind.value, st.sampled_from(ANYTHING)
    if kind == "lines":
        line = st.fixed_dictionaries(
            {}, optional={f.name: value(f) for f in field.lines}
        )
        return st.one_of(
            st.lists(st.one_of(line, line, anything), max_size=2), anything
        )
    pool = {
        "text": MAILS if field.limits.email else TEXTS,
        "decimal": DECIMALS,
        "date": DAYS,
        "dateTime": DAYS,
        "reference": REFERENCES,
        "choice": ["", "A", " goods"],
        "integer": [-1, 6, 7, 10**30, Decimal("1E+2"), "3"],
    }.get(kind, ANYTHING)
    near = moments if kind == "dateTime" else st.sampled_from(pool)
    return st.one_of(st.sampled_from(pool), near, anything)


def value(field):
    return st.one_of(good(field), good(field), odd(field))


@st.composite
def objects(draw, fields):
    """Draw objects in which few properties are odd, missing or too many."""
    item = {}
    for field in fields:
        if field.required or draw(st.booleans()):
            item[field.name] = draw(good(field))
    for field in fields:
        if field.applies and item.get(field.applies.property) != field.applies.value:
            item.pop(field.name, None)
        elif field.applies and field.applies.required:
            item[field.name] = draw(good(field))
    for field in draw(
        st.lists(st.sampled_from(fields), max_size=2) if fields else st.just(())
    ):
        item[field.name] = draw(odd(field))
    if draw(st.integers(0, 7)) == 0:
        item.pop(draw(st.sampled_from(list(item) or [""])), None)
    if draw(st.integers(0, 15)) == 0:
        item[draw(st.sampled_from(["color", "id", "$type"]))] = "A"
    return item


def steps():
    """Return the keys of every form of step."""
    for name, spec in registry.package_format().specs.items():
        yield {spec.kind: name}
        if spec.kind == "dictionary" and spec.fields:
            yield {"dictionary": name, "match": [spec.fields[-1].name]}
        if spec.submitted:
            yield {"document": name, "submit": True}
        for source in spec.sources:
            yield {"createFrom": source.target, "document": name}


@pytest.fixture
def company(run):
    """Import one row of each kind, all with the code A, folders, and stock."""
    package = (
        a_package("company")
        .with_step("UnitsOfMeasure")
        .unit("u", "A")
        .with_step("Currencies")
        .item("c", code="A", name="A", minorUnits=2)
        .with_step("Warehouses")
        .item("w", code="A", name="A")
        .with_step("Items")
        .folder("f", "FOLDER")
        .goods("i", "A", code("A"))
        .with_step("Counterparties")
        .item("p", code="A", name="A")
        .with_step("Accounts")
        .item("af", code="FOLDER", name="A", isFolder=True)
        .item("a", code="A", name="A", isFolder=False)
        .with_step("BankAccounts")
        .item("b", code="A", name="A", currencyId=code("A"))
    )
    head = {"counterpartyId": code("A"), "currencyId": code("A"), "date": "2026-03-01"}
    lines = [{"itemId": code("A"), "quantity": 1, "price": 1}]
    whole = {**head, "code": "A", "warehouseId": code("A"), "lines": lines}
    for kind in ("SalesOrders", "GoodsReceipts", "GoodsIssues"):
        package.documents(kind).item(kind, **whole)
    # Enough for every issue: a dry run judges posting, too.
    plenty = {"code": "B", "lines": [{**lines[0], "quantity": 1_000_000}]}
    package.documents("GoodsReceipts", submit=True).item("stock", **whole | plenty)
    report = run(package)
    assert not report.has_errors, report.diagnostics


def beyond_words(diagnostic, item):
    """Return whether no schema can express this refusal of a value."""
    given = at(item, diagnostic.path.partition("items[")[2].partition("].")[2])
    return (
        diagnostic.code not in EXPRESSIBLE
        # JSON Schema knows no difference between 1 and 1.0, and as binary fractions
        # decimals have no number of places.
        or isinstance(given, Decimal)
        or diagnostic.path.endswith(".email")
        # Services read more forms of times than the one with a format.
        or (diagnostic.code in TIMED and given not in DAYS)
        # White space around a text doesn't count.
        or (diagnostic.code == "too-long" and given != given.strip())
    )


def at(item, path):
    for step in path.replace("[", ".").replace("]", "").split("."):
        try:
            item = item[int(step) if isinstance(item, list) else step]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return item


@pytest.mark.parametrize(
    "keys", list(steps()), ids=lambda keys: " ".join(map(str, keys.values()))
)
def test_an_editor_accepts_what_a_dry_run_accepts(keys, company, admin):
    package_format = registry.package_format()
    fields = package_format.step_objects(keys).fields
    validator = Draft202012Validator(
        package_format.schema, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    accepted = set()

    @effort(10)
    @given(items=st.lists(objects(fields), min_size=5, max_size=5))
    def judge(items):
        items = [{"$id": f"x{number}", **item} for number, item in enumerate(items)]
        package = a_package("tried").as_dict() | {"steps": [{**keys, "items": items}]}
        text = canonical(package)
        complaints = complaints_of(validator, json.loads(text))
        report = import_package(
            io.BytesIO(text),
            ImportOptions(dry_run=True, continue_on_error=True),
            user=admin,
        )
        entries = list(report.items)
        assert len(entries) == len(items), report.diagnostics
        for number, (item, entry) in enumerate(zip(items, entries, strict=True)):
            path = f"steps[0].items[{number}]"
            refused = [d for d in report.diagnostics if d.path.startswith(path)]
            accepted.add(entry.outcome.value != "Failed")
            if entry.outcome.value != "Failed":
                assert not complaints.get(number), (item, complaints[number])
            elif [d for d in refused if not beyond_words(d, item)]:
                assert complaints.get(number), (item, refused)

    judge()
    assert False in accepted
    assert True in accepted or "Import" in next(iter(keys.values()))


def complaints_of(validator, package):
    found = {}
    for error in validator.iter_errors(package):
        path = list(error.absolute_path)
        assert path[:3:2] == ["steps", "items"], error
        found.setdefault(path[3], []).append(error.message)
    return found
