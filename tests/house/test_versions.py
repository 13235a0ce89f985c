"""What a release states in several places is the same in each: the version, its date,
and the libraries that the product and the importer need."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from platform_site import __version__
from platform_site.settings.configuration import APPLICATION_FOLDER as ROOT
from platform_site.site.publishing.libraries import locked_packages

IMPORTER = ROOT / "importer"
HEADING = re.compile(r"^## ((\d\S*).*)$", re.M)


def described(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))


def project(folder):
    return described(folder)["project"]


def newest(folder):
    """Return the newest heading of a changelog, and the version in it."""
    found = HEADING.search((folder / "CHANGELOG.md").read_text("utf-8"))
    assert found is not None
    return found.groups()


def requirements(folder):
    """Return what a distribution needs, built and with its extras, by library."""
    found = project(folder)
    listed = [found["dependencies"], *found["optional-dependencies"].values()]
    listed.append(described(folder)["build-system"]["requires"])
    needed = [Requirement(text) for group in listed for text in group]
    return {one.name: one for one in needed}


def test_the_product_states_one_version_everywhere():
    assert newest(ROOT)[1] == project(ROOT)["version"] == __version__


def test_the_importer_has_the_version_of_the_product():
    assert project(IMPORTER)["version"] == __version__
    assert newest(IMPORTER)[1] == __version__


def test_both_changelogs_give_the_newest_version_the_same_date():
    assert newest(IMPORTER)[0] == newest(ROOT)[0]


def test_the_importer_needs_the_pythons_that_the_product_needs():
    assert project(IMPORTER)["requires-python"] == project(ROOT)["requires-python"]


@pytest.mark.parametrize("name", requirements(IMPORTER))
def test_the_importer_needs_a_library_in_the_versions_that_the_product_needs(name):
    own, ours = requirements(IMPORTER)[name], requirements(ROOT)[name]
    assert own.specifier == ours.specifier


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_locked_library_is_one_that_the_product_accepts(name):
    accepted = requirements(ROOT)
    locked = locked_packages((ROOT / name).read_text("utf-8"))
    known = [(accepted[lib], version) for lib, version, _ in locked if lib in accepted]
    assert known
    assert [str(one) for one, version in known if version not in one.specifier] == []
