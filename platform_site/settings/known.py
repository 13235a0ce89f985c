"""The table of all settings, declared in `known.toml`; the loader and the settings page
of the documentation use it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

import msgspec

from platform_site.settings.setting import Setting


def _read() -> tuple[Setting, ...]:
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    rows = [{"key": key, **row} for key, row in tomllib.loads(text).items()]
    return msgspec.convert(rows, tuple[Setting, ...])


KNOWN: Final = _read()
