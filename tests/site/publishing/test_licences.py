"""Which licences may be published, and what becomes of a library with another one."""

from __future__ import annotations

import re
from email.message import Message
from importlib.metadata import distribution

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.publishing import components
from platform_site.site.publishing.errors import CannotPublishError
from platform_site.site.publishing.libraries import locked_packages
from platform_site.site.publishing.licences import check, licence_of

# What metadata of an older form calls the licences that may be published too.
CLASSIFIED = re.compile(
    r"License :: OSI Approved :: (MIT|BSD|Apache|ISC|Mozilla Public|Python Software)"
)
# They say it in their licence file alone.
READ = {"axe-playwright-python": "MIT", "pyrage": "MIT"}


def locked(name="requirements.lock"):
    text = (APPLICATION_FOLDER / name).read_text("utf-8")
    return [name for name, _, always in locked_packages(text) if always]


@pytest.mark.parametrize("name", locked())
def test_the_licence_of_every_library_is_known_and_allowed(name):
    check(name, licence_of(name, distribution(name).metadata))


@pytest.mark.parametrize("name", locked("requirements-dev.lock"))
def test_what_developers_use_has_a_known_licence_too(name):
    metadata = distribution(name).metadata
    try:
        check(name, READ.get(name) or licence_of(name, metadata))
    except CannotPublishError:
        assert any(map(CLASSIFIED.match, metadata.get_all("Classifier", []))), name


@pytest.mark.parametrize(
    "licence",
    [
        "MIT",
        "MPL-2.0 AND MIT",
        "Apache-2.0 OR GPL-2.0-only",
        "Apache-2.0 WITH LLVM-exception",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ],
)
def test_these_licences_may_be_published(licence):
    check("some-library", licence)


@pytest.mark.parametrize(
    "licence", ["GPL-3.0-only", "AGPL-3.0-or-later", "MIT AND GPL-2.0-only", "SSPL-1.0"]
)
def test_a_licence_that_would_bind_the_product_is_refused(licence):
    with pytest.raises(CannotPublishError, match=r"some-library .* not among those"):
        check("some-library", licence)


@pytest.mark.parametrize("stated", [None, "BSD", "see the file", "No-Such-1.0"])
def test_a_licence_nobody_knows_is_asked_for(stated):
    metadata = Message()
    if stated is not None:
        metadata["License"] = stated
    with pytest.raises(
        CannotPublishError, match="licence of some-library is not known"
    ):
        licence_of("some-library", metadata)


def test_a_folder_with_a_library_of_another_licence_is_not_published(tmp_path):
    information = tmp_path / "lib" / "strict-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: strict\nVersion: 1.0\n"
        "License-Expression: AGPL-3.0-only\n",
        encoding="utf-8",
    )
    with pytest.raises(
        CannotPublishError, match=r"strict has the licence AGPL-3\.0-only"
    ):
        components.components(tmp_path)


def test_a_part_that_a_wheel_lists_without_a_licence_is_asked_for(tmp_path):
    information = tmp_path / "lib" / "open-1.0.dist-info"
    (information / "sboms").mkdir(parents=True)
    (information / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: open\nVersion: 1.0\nLicense-Expression: MIT\n",
        encoding="utf-8",
    )
    (information / "sboms" / "parts.json").write_text(
        '{"components": [{"name": "hidden", "version": "2", '
        '"purl": "pkg:generic/hidden@2?download_url=file:///builder"}]}',
        encoding="utf-8",
    )
    with pytest.raises(CannotPublishError, match="licence of hidden is not known"):
        components.components(tmp_path)
