"""The history of every business row: who changed what, when and on what occasion."""

from __future__ import annotations
