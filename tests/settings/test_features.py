"""Feature flags, as code asks for them (HOST-050)."""

from __future__ import annotations

import pytest

from platform_site.settings.env import read_settings
from platform_site.settings.features import feature_enabled


@pytest.fixture
def flags(settings):
    environ = {"FeatureManagement__Beta": "true", "FEATUREMANAGEMENT__OLD": "false"}
    settings.PLATFORM_FEATURES = read_settings(environ).flags()


@pytest.mark.usefixtures("flags")
@pytest.mark.parametrize(
    ("name", "default", "enabled"),
    [
        ("Beta", False, True),
        ("BETA", False, True),
        ("Old", True, False),
        ("Unknown", False, False),
        ("Unknown", True, True),
    ],
)
def test_a_flag_is_what_is_set_or_the_default_of_the_code(name, default, enabled):
    """HOST-050, OPEN-118."""
    assert feature_enabled(name, default=default) is enabled


def test_no_flag_is_set_unless_somebody_sets_one(settings):
    assert settings.PLATFORM_FEATURES == {}
