"""The data processors that take or make files, and the right to store files for them."""

from __future__ import annotations

from typing import Any

from platform_site.files import services as files
from platform_site.files.fields import FileField
from platform_site.processing.processor import DataProcessor
from platform_site.processing.registry import find_processor
from platform_site.processing.rights import executable, may_execute


def takes_files(processor: type[DataProcessor]) -> bool:
    """Return whether a processor's input contains a file."""
    return any(
        isinstance(each, FileField) for each in processor.Input().fields.values()
    )


def makes_files(processor: type[DataProcessor]) -> bool:
    """Return whether a processor's result contains a file."""
    return bool(file_in_result(processor))


def file_in_result(processor: type[DataProcessor]) -> str:
    """Return the name of the first file in a processor's result, empty if it has none."""
    fields = processor.Result().fields.items()
    return next((name for name, each in fields if isinstance(each, FileField)), "")


def executes_one_with_a_file(user: Any) -> bool:
    """Return whether `user` may execute any processor that takes or makes a file."""
    return any(takes_files(each) or makes_files(each) for each in executable(user))


def needs_file(processor: type[DataProcessor]) -> bool:
    """Return whether a person must choose a file, so that no job can execute it."""
    fields = processor.Input().fields.values()
    return any(isinstance(each, FileField) and each.needed for each in fields)


def largest_body(user: Any, name: str) -> int:
    """Return the maximum size of a body that `user` may send to a processor's page."""
    processor = find_processor(name)
    if processor is None or not user.is_staff or not may_execute(user, processor):
        return 0
    return files.largest_body(user) if takes_files(processor) else 0
