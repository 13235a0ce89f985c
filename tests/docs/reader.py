"""Somebody who types what a page says into one terminal, in a copy of the project, with
a server going on in another one once the page has started it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from tests.builders import units
from tests.environment import inherited
from tests.site.host.processes import free_port

LIMIT_SECONDS = 180
BIN = ".venv/bin"
PYTHON = f"{BIN}/python"
TOOLS = (f"{BIN}/ruff", f"{BIN}/mypy", PYTHON)
ASSIGNMENTS = re.compile(r"^(?:export )?((?:\w+=(?:'[^']*'|\S*)\s*)+)$")
COPY = re.compile(r"\S+/platform-TIME-before-NAME\.db")


class Reader:
    """Types lines; each must work, and one that nobody could type is complained of."""

    def __init__(self, folder):
        self.folder = folder
        self.url = f"http://127.0.0.1:{free_port()}"
        self.env = {**inherited(), "ASPNETCORE_URLS": self.url}
        self.server = None
        units("a").as_file(folder / "price-list.json")

    def types(self, line):
        """Do what one line says, see that it works, and return what it prints."""
        line = self.at_home(line)
        assigned = ASSIGNMENTS.match(line)
        if assigned:
            self.sets(assigned[1])
            return ""
        words = shlex.split(line)
        while "=" in words[0]:
            self.sets(shlex.quote(words.pop(0)))
        return self.does(words, line)

    def at_home(self, line):
        """Put this folder and this server in the place of those a page speaks of."""
        for version in ("1", "2"):
            line = line.replace(f"/srv/platform/{version}/", "./")
        line = line.replace("/srv/platform/data", f"{self.folder}/data")
        line = line.replace("/mnt/usb", f"{self.folder}/usb")
        line = line.replace("=/srv/platform ", f"={self.folder}/another ")
        line = re.sub(r"http://(localhost|\*):\d+", self.url, line)
        backups = (self.folder / "data" / "backups").glob("*")
        copies = sorted(path for path in backups if path.suffix in (".db", ".gz"))
        return COPY.sub(str(copies[-1]), line) if copies else line

    def sets(self, assignments):
        self.env.update(word.split("=", 1) for word in shlex.split(assignments))

    def does(self, words, line):
        """Run a command, or begin to serve; fail for what is neither."""
        if words == ["make", "demo"]:
            self.serves(["make", "--old-file", ".venv/.installed", "demo"])
        elif words[0] == "make":
            # Everything is installed, in the environment that runs the tests.
            self.runs(["make", "--old-file", ".venv/.installed", "-n", words[1]])
        elif words[0] == "curl":
            return self.calls(line)
        elif words[0] in ("gzip", "openssl"):
            self.runs(words)
        elif words[0] == "ls":
            assert self.runs(words).strip(), line
        elif words[0] == "./platform":
            self.uses([str(self.folder / "out" / "platform"), *words[1:]])
        elif words[:3] == [PYTHON, "-m", "pytest"]:
            # As with make: what it names is there, and that is all; of the product.
            ours = [] if "data/" in line else ["--collect-only"]
            return self.runs([*words, *ours])
        elif words[0] in TOOLS and "manage.py" not in words:
            return self.runs(words)
        elif words[0] in (PYTHON, "manage.py"):
            manage = words.index("manage.py")
            return self.uses([PYTHON, *words[manage:]])
        else:
            raise AssertionError(f"Nobody could type this: {line}")
        return ""

    def uses(self, arguments):
        """Run a command of the product; without one, a published folder serves."""
        command = arguments[1:][-1:] if arguments[0] != PYTHON else arguments[2:3]
        if command in ([], ["serve"]):
            self.serves(arguments)
            return ""
        if command == ["restore"] or arguments[1:2] == ["restore"]:
            self.stops()
        said = self.runs(arguments)
        key = re.search(r"pk_\S+", said)
        # A key of which scopes leave less is an example; what follows needs the other.
        if key and "--scopes" not in arguments:
            self.env["KEY"] = key[0]
        return said

    def runs(self, arguments):
        done = subprocess.run(
            arguments,
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def serves(self, arguments):
        """Serve until the page says otherwise, from the moment the address is told."""
        self.stops()
        trouble = self.folder / "stderr.txt"
        with trouble.open("w", encoding="utf-8") as stderr:
            self.server = subprocess.Popen(
                arguments,
                cwd=self.folder,
                env=self.env,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                start_new_session=True,
            )
        said = ""
        while "Sign in as admin" not in said:
            line = self.server.stdout.readline()
            assert line, (said, trouble.read_text("utf-8"))
            said += line
        assert self.url in said

    def stops(self):
        """End the server as Ctrl-C does."""
        if self.server is None:
            return
        with self.server:
            try:
                os.killpg(self.server.pid, signal.SIGINT)
                self.server.communicate(timeout=LIMIT_SECONDS)
            finally:
                self.server.kill()
        self.server = None

    def signs_in(self):
        """Serve, and take the tokens a reader would have by now."""
        self.serves([PYTHON, "manage.py", "serve"])
        self.calls(
            f"curl -s {self.url}/api/v1/Auth/login -H 'Content-Type: application/json'"
            ' -d \'{"userName": "admin", "password": "…"}\''
        )
        self.uses([PYTHON, "manage.py", "create_api_key", "admin"])

    def calls(self, line):
        """Ask the server; whatever is no success fails."""
        assert shutil.which("curl"), "The pages call the API with curl."
        typed = line.replace("curl ", "curl --fail --show-error ", 1)
        said = self.runs(["bash", "-c", typed.replace("…", DEFAULT_ADMIN_PASSWORD)])
        if "Auth/login" in line:
            tokens = json.loads(said)
            self.env["TOKEN"] = tokens["token"]
            self.env["REFRESH"] = tokens["refreshToken"]
        return said
