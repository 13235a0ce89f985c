"""The documentation names only what is there: pages, files, libraries."""

from __future__ import annotations

import re
import tomllib
from functools import cache

import pytest
from django.apps import apps

from importer import registry
from platform_site.processing.registry import registered_processors
from platform_site.settings.apps import added_labels
from platform_site.settings.configuration import APPLICATION_FOLDER as ROOT
from platform_site.settings.known import KNOWN
from tests.house import requirements as requirements_page, settings_table
from tests.markdown import dead_files, dead_sections, links

PAGES = sorted(
    [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
)
FOLDERS = (
    "catalogs|demo|docs|documents|importer|licensing|platform_site|templates|tests"
)
FILE = re.compile(rf"`((?:{FOLDERS})/[\w./-]+)`")
# Names and words of recipes; `web.config` is only said to be there, so IIS is missing.
RECIPE = re.compile(
    r"\b(?:nginx|caddy|traefik|haproxy|apache(?!.licen[cs]e|-2)|cloudflare"
    r"|proxy_pass|proxypass|location / *\{"
    r"|kubernetes|kubectl|helm|openshift|nomad|heroku|azure|aws|google cloud"
    r"|systemd|systemctl|execstart|ansible|terraform"
    r"|(?:docker|podman)[ -](?:run|build|compose)"
    r"|github actions|gitlab[ -]ci|jenkins|circleci|runs-on:|apiversion:)",
    re.I,
)


def shown(path):
    return str(path.relative_to(ROOT))


@cache
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def requirements():
    listed = [project()["dependencies"], *project()["optional-dependencies"].values()]
    return [text for group in listed for text in group]


def library(requirement):
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0]


@pytest.fixture(params=PAGES, ids=shown)
def page(request):
    return request.param


def test_every_link_leads_to_a_file(page):
    assert dead_files(page) == []


def test_every_link_to_a_section_leads_to_one(page):
    assert dead_sections(page) == []


def test_every_file_that_is_named_exists(page):
    # What a guide tells its reader to write is not there yet.
    written = re.findall(r"\*\*\d+\. .*?`([\w./-]+)`", page.read_text("utf-8"))
    named = set(FILE.findall(page.read_text("utf-8"))) - set(written)
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        waiting += [page.parent / name for name, _ in links(page) if name]
    assert {shown(page) for page in PAGES if page.resolve() not in reached} == set()


def test_every_page_but_lists_ends_with_where_in_the_code_it_is():
    lists = {"README.md", "CHANGELOG.md", "docs/decisions/README.md"}
    lists.add("docs/decisions/libraries.md")
    without = {
        shown(page)
        for page in PAGES
        if "## Where in the code" not in page.read_text("utf-8")
    }
    assert without == lists


def test_no_page_has_a_recipe_for_one_platform(page):
    """HOST-006: one illustration in neutral words is allowed, and stands alone."""
    text = page.read_text("utf-8")
    assert RECIPE.findall(text) == []
    illustrations = 1 if shown(page) == "docs/hosting.md" else 0
    assert text.count("```dockerfile") == illustrations


def test_numbers_are_cited_only_on_the_page_that_explains_them(page):
    cited = re.search(r"\b(?:OPEN|IMP|HOST)-\d+", page.read_text("utf-8"))
    assert bool(cited) is (page == requirements_page.PAGE)


@pytest.mark.parametrize("requirement", requirements(), ids=library)
def test_every_library_has_a_reason(requirement):
    text = (ROOT / "docs" / "decisions" / "libraries.md").read_text("utf-8")
    assert re.search(rf"^\|.*`{re.escape(library(requirement))}`.*\| \S", text, re.M)


def test_no_reason_is_given_for_a_library_that_is_not_used():
    text = (ROOT / "docs" / "decisions" / "libraries.md").read_text("utf-8")
    first_cells = re.findall(r"^\| (`[^|]*) \|", text, re.M)
    named = {name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)}
    assert named == {library(requirement) for requirement in requirements()}


def catalog_rows():
    text = (ROOT / "docs" / "package-format.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `([A-Z]\w+)` \| (.*) \|$", text, re.M))
    return {name: row for name, row in rows.items() if name in registry.targets()}


def must_be_given(field):
    return field.required or (field.applies is not None and field.applies.required)


def processors_of_apps():
    return {
        name
        for name, found in registered_processors().items()
        if apps.get_containing_app_config(found.__module__).label in added_labels()
    }


def targets_of_the_product():
    return [
        name
        for name, target in registry.targets().items()
        if target.model._meta.app_label not in added_labels()
        and name not in processors_of_apps()
    ]


@pytest.mark.parametrize("name", targets_of_the_product())
def test_the_format_page_lists_every_property_of_every_catalog(name):
    fields = registry.targets()[name].spec.fields
    names = {field.name for field in fields}
    words = re.findall(r"`(\w+)`(\*?)", catalog_rows().get(name, ""))
    assert {word for word, _ in words if word in names} == names
    starred = {word for word, star in words if star}
    assert starred == {field.name for field in fields if must_be_given(field)}


def test_the_table_of_settings_is_complete_and_current():
    again = "Run `python -m tests.house.settings_table` to write it anew."
    assert settings_table.PAGE.read_text("utf-8") == settings_table.render(), again


def test_the_hosting_page_names_only_settings_that_exist():
    text = (ROOT / "docs" / "hosting.md").read_text("utf-8")
    named = set(re.findall(r"`((?:Platform|JwtOptions|Licensing):[\w:]+)`", text))
    assert named
    assert named <= {one.key for one in KNOWN}
