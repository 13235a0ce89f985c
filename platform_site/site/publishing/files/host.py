"""The launcher of the published platform: it checks the Python version, adds the
libraries to the path, and runs the command; without a command it serves."""

from __future__ import annotations

import json
import runpy
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Run the command in the arguments."""
    made = json.loads((HERE / "runtime.json").read_text(encoding="utf-8"))
    here = {
        "python": sys.implementation.cache_tag,
        "system": sysconfig.get_platform(),
    }
    if any(made[name] != here[name] for name in here):
        sys.exit(
            f"This folder was published for {made['python']} on {made['system']}, but "
            f"this is {here['python']} on {here['system']}. Name such a Python in "
            "PLATFORM_PYTHON, or publish with this one."
        )
    # The published folder is complete; nothing is written to it.
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(HERE), str(HERE / "lib")]
    sys.argv[0] = str(HERE / "manage.py")
    if len(sys.argv) == 1:
        sys.argv.append("serve")
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
