"""Archives: the whole installation in one file, made on schedule, copied off the machine,
tried by a restore drill, and restored by one command."""

from __future__ import annotations
