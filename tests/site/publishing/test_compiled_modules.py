"""What is compiled in the published folder, so that no start compiles it."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.environment import inherited

pytestmark = pytest.mark.process


def test_each_module_is_compiled(published):
    for folder in ("importer", "platform_site"):
        modules = list((published / folder).rglob("*.py"))
        assert len(modules) > 100
        for module in modules:
            name = f"{module.stem}.{sys.implementation.cache_tag}.pyc"
            assert (module.parent / "__pycache__" / name).is_file(), module


def test_a_module_that_somebody_edits_is_compiled_anew(published, tmp_path):
    folder = shutil.copytree(published / "licensing", tmp_path / "licensing")
    (folder / "__init__.py").write_text("print('edited')\n", encoding="utf-8")
    loading = [sys.executable, "-B", "-c", "import licensing"]
    said = subprocess.check_output(loading, cwd=tmp_path, env=inherited(), text=True)
    assert said == "edited\n"
