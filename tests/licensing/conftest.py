"""The vendor of a test session, and a process that has read no licence yet."""

from __future__ import annotations

import pytest

from licensing import services
from tests.licensing.signing import Vendor


@pytest.fixture(scope="session")
def vendor():
    return Vendor()


@pytest.fixture
def configure(settings, tmp_path, vendor):
    """Return how a test says where the licence is; the key is the vendor's."""
    (tmp_path / "public.pem").write_bytes(vendor.public_pem)

    def configured(**licensing):
        settings.LICENSING = {"PUBLIC_KEY_FILE": tmp_path / "public.pem", **licensing}
        services.reload()

    yield configured
    services.reload()
