"""The start page of the administration: what needs attention, the apps in the words of
those who work with them, and what a person did last."""

from __future__ import annotations
