"""What the published folder says of the work of others in it: all of it, with version
and licence, in a form that scanners read."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.metadata import distributions

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from platform_site import __version__
from platform_site.site.publishing.bundled_components import files_of, known

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def text(published):
    return (published / "SBOM.cdx.json").read_text("utf-8")


@pytest.fixture(scope="module")
def bill(text):
    return json.loads(text)


def everything(entries):
    for entry in entries:
        yield entry
        yield from everything(entry.get("components", ()))


def by_name(bill):
    return {entry["name"]: entry for entry in bill["components"]}


def test_the_bill_keeps_to_the_form_that_it_names(text, bill):
    assert bill["specVersion"] == "1.6"
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    assert problem is None, problem


def test_it_is_about_the_product(bill):
    product = bill["metadata"]["component"]
    assert (product["name"], product["version"]) == ("platform", __version__)
    assert product["type"] == "application"


def test_every_library_of_the_folder_is_in_it_with_its_version(published, bill):
    there = {
        (re.sub(r"[-_.]+", "-", one.name).lower(), one.version)
        for one in distributions(path=[str(published / "lib")])
    }
    assert len(there) > 30
    assert {(one["name"], one["version"]) for one in bill["components"]} == there


def test_the_icons_are_named_with_both_licences_and_their_text(published, bill):
    (icons,) = bill["metadata"]["component"]["components"]
    assert icons["name"] == "lucide"
    assert re.fullmatch(r"\d+\.\d+\.\d+", icons["version"])
    assert icons["licenses"] == [{"expression": "ISC AND MIT"}]
    rows = (published / "LICENSES.md").read_text("utf-8")
    assert f"| platform: lucide | {icons['version']} | ISC AND MIT | " in rows
    assert "`wwwroot/icons.LICENCE.txt`" in rows
    text = (published / "wwwroot/icons.LICENCE.txt").read_text("utf-8")
    assert "ISC License" in text
    assert "The MIT License" in text


def test_everything_in_it_has_a_licence_and_an_address_for_scanners(bill):
    entries = list(everything(bill["components"]))
    assert {one["name"] for one in entries if not one.get("licenses")} == set()
    assert {one["name"] for one in entries if not one.get("purl")} == set()


def test_what_is_linked_into_a_library_is_in_it(bill):
    """Of these its users hear the most of holes."""
    parts = {
        (library, part["name"]): part.get("version")
        for library, entry in by_name(bill).items()
        for part in entry.get("components", ())
    }
    assert parts["cryptography", "openssl"]
    assert parts["drf-spectacular-sidecar", "swagger-ui-dist"]
    assert parts["django-htmx", "htmx.org"].startswith("2.")
    assert parts["django", "jquery"].startswith("3.")
    assert parts["pyyaml", "libyaml"].startswith("0.2.")


def test_every_row_of_our_list_is_there_with_the_version_it_promises(published, bill):
    """A library that moves or drops its files must not leave a row behind."""
    found = {**by_name(bill), "platform": bill["metadata"]["component"]}
    for library, rows in known().items():
        parts = {
            one["name"]: one for one in found.get(library, {}).get("components", ())
        }
        for row in rows:
            if row["files"][0].startswith("wwwroot/"):
                assert files_of(row, published), row["name"]
                assert ("version" in row) == ("version" in parts[row["name"]])


def test_no_file_of_others_is_claimed_by_nobody(published):
    """What a library puts beside its own files is somebody else's work."""
    claimed = {
        path
        for rows in known().values()
        for row in rows
        for path in files_of(row, published)
    }
    folders = [*(published / "lib").glob("*.libs")]
    folders += [one for one in (published / "wwwroot").rglob("vendor") if one.is_dir()]
    assert len(folders) > 1
    copies = re.compile(r"\.[0-9a-f]{12}\.|\.(br|gz)$")
    there = {
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not copies.search(path.name)
    }
    assert there - claimed == set()


def test_the_files_it_names_are_those_in_the_folder(published, bill):
    named = [one for one in everything(bill["components"]) if "properties" in one]
    assert len(named) > 5
    for one in named:
        (where,) = one["properties"]
        content = (published / where["value"]).read_bytes()
        (given,) = one["hashes"]
        assert given["content"] == hashlib.sha256(content).hexdigest()


def test_it_says_what_needs_what(bill):
    needs = {one["ref"]: one.get("dependsOn", []) for one in bill["dependencies"]}
    first = " ".join(needs[f"pkg:generic/platform@{__version__}"])
    assert "pkg:pypi/django@" in first
    assert "pkg:pypi/sqlparse@" not in first
    reached, waiting = set(), [f"pkg:generic/platform@{__version__}"]
    while waiting:
        ref = waiting.pop()
        reached.add(ref)
        waiting += [one for one in needs[ref] if one not in reached]
    assert {one["bom-ref"] for one in bill["components"]} - reached == set()


def test_the_list_of_licences_has_a_row_for_each_library_and_part(published, bill):
    rows = (published / "LICENSES.md").read_text("utf-8").splitlines()
    cells = [
        [cell.strip() for cell in row.split("|")[1:5]] for row in rows if "|" in row
    ]
    listed = {cell[0]: cell for cell in cells[2:]}
    assert set(by_name(bill)) <= set(listed)
    assert listed["psycopg"][2] == "LGPL-3.0-only"
    assert "drf-spectacular-sidecar: swagger-ui-dist" in listed
    for name in by_name(bill):
        for text in listed[name][3].split(", "):
            assert (published / text.strip("`")).is_file(), name
