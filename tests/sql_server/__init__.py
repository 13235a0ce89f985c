"""What can be told about SQL Server without one."""

from __future__ import annotations
