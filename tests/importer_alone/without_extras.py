"""A program that imports twice without the extras; run by ``test_alone``.

It prints the outcomes of both runs. The extras can't be imported in its process, and the
tools of commands are imported before Django is set up.
"""

from __future__ import annotations

import io
import sys

_EXTRAS = ("drf_spectacular", "django_htmx", "openpyxl", "charset_normalizer")
sys.modules.update(dict.fromkeys(_EXTRAS))  # type: ignore[arg-type]

import importer.commands  # noqa: E402, F401

if "importer.models" in sys.modules:
    raise SystemExit("The tools of commands need Django to be set up.")

import django  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402

settings.configure(
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "importer",
        "tests.importer_alone.library",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    IMPORTER={"CONFIGURATION": "Library"},
    USE_TZ=True,
)
django.setup()
call_command("migrate", run_syncdb=True, verbosity=0)

from django.contrib.auth import get_user_model  # noqa: E402

from importer.services import ImportOptions, import_package  # noqa: E402
from tests.importer_alone.case import authors, package  # noqa: E402

user = get_user_model().objects.create_superuser("librarian")
for _run in range(2):
    report = import_package(
        io.BytesIO(package(authors("ada"))), ImportOptions(), user=user
    )
    sys.stdout.write(f"{[result.outcome.value for result in report.items]}\n")
