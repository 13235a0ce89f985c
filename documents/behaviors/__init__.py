"""The rules, actions and parts that documents declare."""

from __future__ import annotations
