"""The product's settings for tests, durable as in service, with the peer beside it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from licensing.licence import Terms, sign_licence
from licensing.limits import LicenceLimits
from platform_site.settings.test import *  # noqa: F403
from platform_site.settings.test import (
    DATABASES,
    INSTALLED_APPS,
    PLATFORM_DATA_FOLDER,
)

INSTALLED_APPS = [
    *INSTALLED_APPS,
    "import_export",
    "simple_history",
    "tests.benchmarks.peer",
]
ROOT_URLCONF = "tests.benchmarks.urls"
if "init_command" in DATABASES["default"]["OPTIONS"]:
    DATABASES["default"]["OPTIONS"]["init_command"] = (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON"
    )
else:
    DATABASES["default"]["TEST"] = {"NAME": "platform_benchmark"}
LOGGING = {"version": 1, "disable_existing_loggers": False}

# More documents than go without a licence, so the benchmarks sign one of their own.
_key = Ed25519PrivateKey.generate()
_now = datetime.now(UTC)
_key_file = PLATFORM_DATA_FOLDER / "benchmark.pem"
_key_file.write_bytes(
    _key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
)
_terms = Terms(
    "Benchmark", _now, _now + timedelta(days=1), LicenceLimits(None, None, None)
)
LICENSING = {"TOKEN": sign_licence(_terms, _key), "PUBLIC_KEY_FILE": _key_file}
