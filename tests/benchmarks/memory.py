"""The peak memory of the commands that import a big package and a long table."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks import list_files, workload
from tests.benchmarks.service import installed
from tests.journeys.installation import MANAGE

# An installation has no development tools, which libraries load where they find them.
_INSTALLED = """
import runpy, sys
sys.modules["requests"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
RUNS = {"dry run": ["--dry-run"], "first": [], "identical": []}


def measure(provider, big):
    """Return megabytes."""
    with installed(provider) as installation, tempfile.NamedTemporaryFile() as source:
        workload.write_big(source, big)
        source.flush()
        figures = {"the package itself": [source.tell() / 1e6]}
        for name, options in RUNS.items():
            command = ["import_package", source.name, *options]
            figures[name] = [_peak(installation, *command)]
        for form in ("CSV", "XLSX"):
            figures[f"table as {form}"] = [_of_table(installation, form, big)]
    return {"memory": figures}


def _of_table(installation, form, big):
    """Return the megabytes of the first import of a table."""
    with tempfile.TemporaryDirectory() as folder:
        table, described = Path(folder, "table"), Path(folder, "map.json")
        described.write_text(list_files.described(), encoding="utf-8")
        # In a process of its own, whose memory doesn't count here.
        command = [sys.executable, "-m", "tests.benchmarks.list_files"]
        command += [form, str(big), "B", str(table)]
        subprocess.run(command, env=installation.env, check=True)
        return _peak(installation, "import_table", str(table), "--map", str(described))


def _peak(installation, *arguments):
    command = [sys.executable, "-c", _INSTALLED, MANAGE[-1], *arguments]
    process = subprocess.Popen(command, env=installation.env, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, status
    return used.ru_maxrss * 1024 / 1e6
