"""The peak memory of the command that imports a big package."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from tests.benchmarks import workload
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
            figures[name] = [_peak(installation, source.name, *options)]
    return {"memory": figures}


def _peak(installation, *arguments):
    command = [sys.executable, "-c", _INSTALLED, MANAGE[-1], "import_package"]
    command += arguments
    process = subprocess.Popen(command, env=installation.env, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, status
    return used.ru_maxrss * 1024 / 1e6
