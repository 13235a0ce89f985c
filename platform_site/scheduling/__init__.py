"""Jobs: data processors that run by themselves, at moments an administrator sets."""

from __future__ import annotations
