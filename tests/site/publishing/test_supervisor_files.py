"""The example files for process managers, containers and proxies: each is read as the
program reads it that it is for, and says what the product says of itself."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import shlex
import shutil
import subprocess

import pytest
import yaml
from django.core.management import get_commands, load_command_class

from platform_site.settings.configuration import APPLICATION_FOLDER, build
from platform_site.settings.env import read_settings
from platform_site.settings.errors import SettingsError
from platform_site.settings.listen import endpoints, metrics_endpoint
from platform_site.site.host.asgi_application import READY
from platform_site.site.host.early_stop import HARD_LIMIT_SECONDS
from platform_site.site.host.exit_codes import exit_code
from tests.environment import in_ci, inherited
from tests.site.host import proxy
from tests.site.host.certificates import make_certificate

FOLDER = APPLICATION_FOLDER / "deploy"
ANALYZE = shutil.which("systemd-analyze", path="/usr/bin:/bin")
MEGABYTE = 1_000_000


def text(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def ran(*arguments, environ=None):
    return subprocess.run(
        arguments,
        env=environ or inherited(),
        capture_output=True,
        text=True,
        check=False,
    )


def configured(environ, tmp_path):
    """Return the configuration of variables, none of which may be unknown."""
    here = {"Platform__DataPath": str(tmp_path)}
    configuration = build(read_settings({**environ, **here}))
    assert configuration.warnings == ()
    return configuration


def largest_upload():
    settings = read_settings({})
    keys = ("BlobStorage:MaxFileSizeBytes", "Import:MaxPackageSizeBytes")
    return max(settings.number(key) for key in keys)


# The unit


def unit():
    """Return the values of each key."""
    found = {}
    for line in text("platform.service").splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def test_the_unit_is_valid_and_hardened(tmp_path):
    if ANALYZE is None:
        if in_ci():
            pytest.fail("systemd-analyze is missing; .ci/run installs it.")
        pytest.skip("There is no systemd-analyze on this machine.")
    here = tmp_path / "platform.service"
    # Program and account are not on this machine.
    lines = text("platform.service").replace("/opt/platform/platform", "/bin/true")
    # With what a reader may turn on.
    lines = re.sub("^#(?=[A-Z][A-Za-z]+=)", "", lines, flags=re.M)
    assert "\nReadWritePaths=" in lines
    here.write_text(re.sub(r"^(User|Group)=.*$", r"\1=root", lines, flags=re.M))
    verified = ran(ANALYZE, "verify", str(here))
    assert (verified.returncode, verified.stderr) == (0, "")
    here.write_text(lines)
    judged = ran(ANALYZE, "security", "--offline=true", str(here)).stdout
    assert float(re.search(r"exposure level for \S+ ([\d.]+)", judged)[1]) < 2.5


def test_the_unit_agrees_with_the_server(tmp_path):
    found = unit()
    environ = dict(line.split("=", 1) for line in found["Environment"])
    assert environ["Platform__DataPath"] == "/var/lib/" + found["StateDirectory"][0]
    configured(environ, tmp_path)
    assert found["Type"] == ["notify"]
    assert found["RestartPreventExitStatus"] == [str(exit_code(SettingsError("")))]
    assert int(found["TimeoutStopSec"][0]) > HARD_LIMIT_SECONDS
    assert found["ProtectSystem"] == ["strict"]


@pytest.mark.skipif(os.name != "posix", reason="It runs a shell script.")
def test_a_command_runs_as_the_unit_does(tmp_path):
    recorder = tmp_path / "systemd-run"
    recorder.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    recorder.chmod(0o755)
    script = str(FOLDER / "platform-command")
    wanted = ["restore", "/mnt/two words.tar.gz", "--replace"]
    environ = {**inherited(), "PATH": f"{tmp_path}:/usr/bin:/bin"}
    said = ran("sh", script, *wanted, environ=environ).stdout.splitlines()
    found = unit()
    [program, _serve] = found["ExecStart"][0].split()
    assert said[-4:] == [program, *wanted]
    given = {line for line in said[:-4] if "=" in line}
    assert given == {
        f"--uid={found['User'][0]}",
        f"--gid={found['Group'][0]}",
        *(
            f"--property={key}={found[key][0]}"
            # The folder, because a restore may come before the first start.
            for key in ("UMask", "StateDirectory", "StateDirectoryMode")
        ),
        f"--property=EnvironmentFile={found['EnvironmentFile'][0]}",
        *(f"--setenv={one}" for one in found["Environment"]),
    }
    environ["PLATFORM_FOLDER"] = "/opt/platform-2"
    next_one = ran("sh", script, "startup", environ=environ).stdout
    assert next_one.endswith("\n/opt/platform-2/platform\nstartup\n")
    # Without words it would serve, beside the unit.
    nothing = ran("sh", script, environ=environ)
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "Name a command" in nothing.stderr


def test_systemd_knows_the_options_of_a_command():
    program = shutil.which("systemd-run", path="/usr/bin:/bin")
    if program is None:
        pytest.skip("There is no systemd-run on this machine.")
    options = set(re.findall(r" (--[a-z]+)", text("platform-command")))
    assert {"--uid", "--wait", "--pipe"} <= options
    assert options <= set(re.findall(r"--[a-z-]+", ran(program, "--help").stdout))


# The image


def instructions():
    """Return the instructions of the Dockerfile, each in one line."""
    whole = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text("Dockerfile"), flags=re.M))
    return [line.split(None, 1) for line in whole.splitlines() if line.strip()]


def test_the_image_is_made_of_a_checked_folder_and_is_not_root(tmp_path):
    found = instructions()
    starts = [n for n, (word, _) in enumerate(found) if word == "FROM"]
    assert len(starts) == 2
    assert all(re.search(r":\S+", found[n][1]) for n in starts)
    assert "latest" not in text("Dockerfile")
    first, last = dict(found[: starts[1]]), dict(found[starts[1] :])
    assert "sha256sum --check" in first["RUN"]
    # A number, so that an orchestrator can see that it isn't root.
    assert int(last["USER"]) > 0
    assert last["USER"] in last["RUN"]
    order = [word for word, _ in found]
    assert order.index("USER") < order.index("ENTRYPOINT")
    assert not {"ADD", "MAINTAINER"} & set(order)
    environ = dict(part.split("=", 1) for part in shlex.split(last["ENV"]))
    configuration = configured(environ, tmp_path)
    assert last["VOLUME"] == environ["Platform__DataPath"]
    [endpoint] = endpoints(configuration.settings)
    assert last["EXPOSE"] == str(endpoint.port)
    # As lists, so that the signal reaches the server.
    assert json.loads(last["ENTRYPOINT"]) == ["/app/platform"]
    assert json.loads(last["CMD"]) == ["serve"]
    assert last["STOPSIGNAL"] == "SIGTERM"
    probe = json.loads(last["HEALTHCHECK"].partition("CMD ")[2])
    assert f":{endpoint.port}{READY}" in probe[-1]
    compile(probe[-1], "probe", "exec")


def test_the_services_agree_with_each_other_and_with_the_product(tmp_path):
    whole = yaml.safe_load(text("compose.yaml"))
    services = whole["services"]
    ours = services["platform"]
    for service in services.values():
        assert ":" in service["image"] or "build" in service
        assert set(service.get("secrets", ())) <= set(whole["secrets"])
        assert set(service["networks"]) <= set(whole["networks"])
        assert set(service.get("depends_on", ())) <= set(services)
        named = {volume.partition(":")[0] for volume in service.get("volumes", ())}
        assert {name for name in named if "/" not in name} <= set(whole["volumes"])
    assert [name for name in services if "ports" in services[name]] == ["proxy"]
    assert ours["read_only"] is True
    assert ours["cap_drop"] == ["ALL"]
    assert ours["security_opt"] == ["no-new-privileges:true"]
    assert int(ours["stop_grace_period"].removesuffix("s")) > HARD_LIMIT_SECONDS
    assert ours["volumes"] == ["data:/data"]
    environ = dict(ours["environment"])
    assert (
        environ.pop("ConnectionStrings__PostgreSql__FILE") == "/run/secrets/connection"
    )
    environ["ConnectionStrings__PostgreSql"] = "Host=database;Database=platform"
    assert environ["AllowedHosts"].startswith("${SITE:?")
    environ |= {"AllowedHosts": "a.example", "Platform__Database__MustExist": "false"}
    settings = configured(environ, tmp_path).settings
    [trusted] = settings.list("Platform:Proxy:Trusted")
    subnet = whole["networks"]["inside"]["ipam"]["config"][0]["subnet"]
    assert ipaddress.ip_network(trusted) == ipaddress.ip_network(subnet)
    assert metrics_endpoint(settings).port == 9100
    assert services["proxy"]["environment"]["PLATFORM"] == "platform:8080"


def test_each_version_has_an_image_and_the_same_volumes():
    """A rollback starts the image of before on the data of before."""
    whole = yaml.safe_load(text("compose.yaml"))
    assert whole["services"]["platform"]["image"].startswith("platform:${VERSION:?")
    # Not the name of whichever folder it lies in.
    assert whole["name"] == "platform"
    needed = set(re.findall(r"\$\{(\w+):\?", text("compose.yaml")))
    assert {name for name in needed if f"`{name}=" not in text("README.md")} == set()


# The proxies


def test_the_configuration_of_nginx_is_valid(tmp_path):
    proxy.needed()
    make_certificate(tmp_path)
    ours = text("nginx.conf").replace("/etc/platform/", f"{tmp_path}/")
    (tmp_path / "site.conf").write_text(ours)
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/errors.txt; events {{}}\n"
        f"http {{ access_log off; include {tmp_path}/site.conf; }}\n"
    )
    log = str(tmp_path / "errors.txt")
    tested = ran(proxy.PROGRAM, "-t", "-c", str(tmp_path / "nginx.conf"), "-e", log)
    assert tested.returncode == 0, tested.stderr
    most = int(re.search(r"client_max_body_size (\d+)m;", ours)[1]) * (1 << 20)
    assert most >= largest_upload() + MEGABYTE
    for header in ("Host $http_host", "X-Forwarded-Proto", "X-Forwarded-For"):
        assert f"proxy_set_header {header}" in ours


def test_the_configuration_of_caddy_is_whole():
    ours = re.sub(r"^\s*#.*$", "", text("Caddyfile"), flags=re.M)
    depth = 0
    for line in filter(None, map(str.strip, ours.splitlines())):
        placeholders = re.sub(r"\{\$[A-Z]+(:[^{}\s]+)?\}", "x", line)
        # A block begins at the end of a line, and ends on a line of its own.
        assert re.fullmatch(r"[^{}]+( \{)?|\}", placeholders), line
        depth += placeholders.count("{") - placeholders.count("}")
        assert depth >= 0
    assert depth == 0
    most = int(re.search(r"max_size (\d+)MB", ours)[1]) * MEGABYTE
    assert most > largest_upload()
    assert re.search(
        r"^\treverse_proxy \{\$PLATFORM:127\.0\.0\.1:8080\} \{$", ours, re.M
    )


def test_the_page_explains_every_file():
    page = text("README.md")
    names = {path.name for path in FOLDER.iterdir()} - {"README.md"}
    assert {name for name in names if f"`{name}`" not in page} == set()


TYPED = re.compile(
    r"(?:platform-command|(?:/app/|--rm |:ro |exec )platform(?: /app/platform)?"
    r"|/data platform:\d) (\w+)([^\n;&#]*)"
)


def test_the_page_names_commands_and_options_that_exist():
    fenced = "".join(re.findall(r"```sh\n(.*?)```", text("README.md"), re.S))
    typed = TYPED.findall(fenced)
    names = {name for name, _ in typed}
    assert {"backup", "restore", "rotate_key", "reset_admin", "startup"} <= names
    for name, options in typed:
        command = load_command_class(get_commands()[name], name)
        parser = command.create_parser("manage.py", name)
        known = set(parser._option_string_actions)
        assert set(re.findall(r"--[\w-]+", options)) <= known, name
