"""Settings of a project that has the importer and one small app of its own."""

from __future__ import annotations

SECRET_KEY = "only for this test"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "importer",
    "tests.importer_alone.library",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
ROOT_URLCONF = "tests.importer_alone.urls"
IMPORTER = {"CONFIGURATION": "Library"}
