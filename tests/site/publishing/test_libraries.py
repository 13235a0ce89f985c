"""Which libraries and which of their files are published."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.site.publishing.errors import CannotPublishError
from platform_site.site.publishing.libraries import (
    compiled,
    copy_libraries,
    is_published,
    locked_packages,
)

LOCK = """\
# a comment
django==5.2.19 \\
    --hash=sha256:00
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=sha256:00
"""


def test_the_lock_file_names_packages_versions_and_conditions():
    assert list(locked_packages(LOCK)) == [
        ("django", "5.2.19", True),
        ("colorama", "0.4.6", False),
    ]


def test_every_package_of_the_project_is_locked():
    text = (APPLICATION_FOLDER / "requirements.lock").read_text("utf-8")
    names = {name for name, _, _ in locked_packages(text)}
    assert {"django", "uvicorn", "whitenoise", "psycopg-binary"} <= names


@pytest.mark.parametrize(
    ("path", "published"),
    [
        ("django/db/__init__.py", True),
        ("django/test/client.py", True),
        ("django-5.2.dist-info/METADATA", True),
        ("django-5.2.dist-info/licenses/LICENSE", True),
        ("django-5.2.dist-info/RECORD", False),
        ("django-5.2.dist-info/direct_url.json", False),
        ("django/conf/locale/de/LC_MESSAGES/django.mo", True),
        ("django/conf/locale/de/LC_MESSAGES/django.po", False),
        ("django/contrib/admin/static/admin/css/base.css", False),
        ("django/db/__pycache__/utils.cpython-311.pyc", False),
        ("croniter/tests/test_croniter.py", False),
        ("../../../bin/django-admin", False),
        ("/usr/share/man/x.1", False),
    ],
)
def test_what_only_installers_or_developers_need_is_left_out(path, published):
    assert is_published(Path(path)) is published


@pytest.mark.parametrize(
    ("line", "words"),
    [("no-such-library==1.0", "not installed"), ("django==0.1", "has 0.1")],
)
def test_a_library_that_is_not_as_locked_is_a_sentence(tmp_path, line, words):
    (tmp_path / "some.lock").write_text(line, encoding="utf-8")
    with pytest.raises(CannotPublishError, match=words):
        copy_libraries(tmp_path / "some.lock", tmp_path / "lib")


def test_the_same_source_is_compiled_to_the_same_bytes():
    source = b"names = {'b', 'a'}\ndef f(x):\n    return x in {'one', 'two', 'three'}\n"
    assert compiled(source, "lib/x.py") == compiled(source, "lib/x.py")
    code = marshal.loads(compiled(source, "lib/x.py")[16:])
    assert code.co_filename == "lib/x.py"
