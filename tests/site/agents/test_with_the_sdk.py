"""The official client of the protocol with a served installation: over HTTP, and over
standard input and output of the command."""

from __future__ import annotations

import json
import sys

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.builders import units
from tests.first_start import started_once
from tests.site.host import processes

pytestmark = pytest.mark.process
PACKAGE = units("pcs", "kg").as_dict()
MANAGE = str(APPLICATION_FOLDER / "manage.py")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    one = processes.start(started_once(tmp_path_factory.mktemp("agents") / "data"))
    processes.announced(one)
    yield one
    processes.stop(one)


@pytest.fixture(scope="module")
def key(served):
    env = processes.environment(served.data)
    made = processes.command("create_api_key", "admin", env=env)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


async def conversation(client):
    """Do what an agent does, and return what became of it."""
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"search", "dry_run_package", "propose_import"} <= tools

    async def call(tool, **arguments):
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result
        [text] = result.content
        assert json.loads(text.text) == result.structured_content
        return result.structured_content

    assert len((await call("list_catalogs"))["catalogs"]) > 5
    wrong = await client.call_tool("get", {"catalog": "Items", "id": 1})
    assert wrong.is_error
    assert wrong.structured_content["code"] == "not-found"
    tried = await call("dry_run_package", package=PACKAGE)
    assert tried["counts"] == {"Inserted": 2}
    assert await call("explain_run", runId=tried["runId"]) == tried
    schema = await client.read_resource("platform://schema/package")
    assert "UnitsOfMeasure" in schema.contents[0].text
    return await call("propose_import", package=PACKAGE, reason="New units.")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_over_http(served, key, mode):
    async def talk():
        headers, limit = {"X-Api-Key": key}, processes.LIMIT_SECONDS
        async with httpx2.AsyncClient(headers=headers, timeout=limit) as http:
            transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await conversation(client)

    assert anyio.run(talk)["state"] == "Open"


def test_the_official_client_over_standard_input_and_output(served, key):
    env = processes.environment(served.data, PLATFORM_API_KEY=key)
    call = StdioServerParameters(command=sys.executable, args=[MANAGE, "mcp"], env=env)

    async def talk():
        async with Client(call) as client:
            return await conversation(client)

    proposal = anyio.run(talk)
    assert proposal["state"] == "Open"
    with served.database() as database:
        [count] = database.execute(
            "SELECT count(*) FROM importer_proposedimport"
        ).fetchone()
        rows = database.execute("SELECT * FROM catalogs_unitofmeasure").fetchall()
    # The same package of the same user is one proposal, whoever carries it.
    assert (count, rows) == (1, [])
