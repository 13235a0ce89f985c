"""Embedded packages of the tests' own, and a look at what seeding can write."""

from __future__ import annotations

import pytest

from catalogs.models import UnitOfMeasure
from demo.seeding import seed
from importer import sources
from platform_site.accounts.models import User
from tests.builders import a_package


def small_demo(identifier="small-demo", *, version=1, units=("kg", "l")):
    """Build a package of demo data with a few units."""
    built = a_package(identifier, version=version, origin="demoSeed")
    built.with_step("UnitsOfMeasure")
    for unit in units:
        built.unit(f"unit:{unit}", unit)
    return built


def codes():
    """Return the codes of the live units."""
    return set(UnitOfMeasure.objects.live().values_list("code", flat=True))


def broken():
    """Build the small package with a second object that no catalog takes."""
    built = small_demo(units=["kg"])
    return built.item("unit:l", code="l" * 40, name="litre").unit("unit:m", "m")


@pytest.fixture
def embed(tmp_path, monkeypatch):
    """Return a function that makes packages the only embedded ones, in their order."""

    def make(*packages):
        files = [
            package.as_file(tmp_path / f"{number}.json")
            for number, package in enumerate(packages)
        ]
        monkeypatch.setattr(sources, "_files", lambda: iter(files))

    return make


def user_names():
    """Return the names of all accounts but the three every installation has."""
    seeded = {"admin", "mcp-agent", "jobs-scheduler"}
    return set(User.objects.values_list("username", flat=True)) - seeded


@pytest.fixture
def seeded(embed):
    """Make this a demo installation of the small package."""
    embed(small_demo())
    seed()


@pytest.fixture
def admin(db):
    """Return the administrator."""
    return User.objects.get(username="admin")
