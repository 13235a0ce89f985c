"""What an API key with scopes may do, for every operation of the description."""

from __future__ import annotations

import io
import re

import pytest
from django.core.management import CommandError, call_command

from platform_site.accounts.api_keys import create_api_key
from platform_site.accounts.models import ApiKey, User
from platform_site.changes.models import ChangeEvent
from tests.catalogs.rows import a_unit, an_item
from tests.site.api.callers import Caller

pytestmark = pytest.mark.django_db
# Whose key it is, and which installation this is.
OPEN = {"GET ", "GET /About", "GET /Account", "GET /About/license-agreement"}
# No key has to do with signing in, and files of others don't exist for anybody.
LEFT_OUT = ("/Auth/", "/Files/")


def with_scopes(*scopes, user_name="admin"):
    user = User.objects.get(username=user_name)
    _row, text = create_api_key(user=user, name="test", scopes=scopes)
    return Caller(**{"X-Api-Key": text})


def operations():
    """Return every operation with a key: method and path, with examples in it."""
    description = Caller().client.get("/swagger/v1/swagger.json").json()
    found = {}
    for path, methods in description["paths"].items():
        short = path.removeprefix("/api/v1")
        if short.startswith(LEFT_OUT):
            continue
        for method in methods:
            filled = re.sub(r"\{\w*[iI]d\}", "1", short)
            filled = re.sub(r"\{\w+\}", "1", filled)
            found[f"{method.upper()} {short}"] = (method.upper(), filled)
    assert len(found) > 80
    return found


def allowed(caller):
    """Return the operations that the scopes of a key allow."""
    found = set()
    for name, (method, path) in operations().items():
        answer = caller.call(method, path)
        refused = answer.status_code == 403 and "API key" in answer.json()["detail"]
        if not refused:
            found.add(name)
    return found


def test_a_key_to_read_can_do_nothing_else():
    everything = operations()
    readable = {
        name
        for name in everything
        if name.startswith("GET ") and not name.startswith("GET /Import")
    }
    assert allowed(with_scopes("read")) == readable


def test_a_key_for_one_catalog_goes_nowhere_else():
    own = {name for name in operations() if re.match(r"\w+ /Items\b", name)}
    by_rights = {
        "GET /Changes",
        "GET /Reports/StockOnHand",
        "GET /Reports/LedgerBalances",
    }
    found = allowed(with_scopes("Items"))
    assert found - {"PATCH /Account", "POST /Account/change-password"} == (
        own | OPEN | by_rights
    )


def test_only_a_key_to_import_imports():
    everything = operations()
    imports = {name for name in everything if " /Import" in name}
    assert allowed(with_scopes("import")) == imports | OPEN
    assert not imports & allowed(with_scopes("read", "write"))
    assert allowed(with_scopes()) == set(everything)


def test_rights_are_narrowed_to_the_names():
    a_unit(name="Piece")
    item = an_item()
    caller = with_scopes("read", "Items")
    assert caller.get(f"/Items/{item.pk}").status_code == 200
    changes = caller.get("/Changes?after=0").json()["results"]
    assert {each["model"] for each in changes} == {"Items"}
    assert caller.get("/Reports/StockOnHand").status_code == 403
    unit = item.unit_of_measure.code
    assert unit not in caller.get("/Items?format=csv").getvalue().decode()
    both = with_scopes("Items", "UnitsOfMeasure", "StockMovements")
    assert unit in both.get("/Items?format=csv").getvalue().decode()
    assert both.get("/Reports/StockOnHand").status_code == 200


def test_a_document_made_from_another_needs_both():
    one = with_scopes("SalesOrders").post("/SalesOrders/1/create/GoodsIssues", {})
    assert "GoodsIssues" in one.json()["detail"]
    both = with_scopes("SalesOrders", "GoodsIssues")
    assert both.post("/SalesOrders/1/create/GoodsIssues", {}).status_code == 404


def test_no_key_makes_one_that_may_do_more():
    body = {"name": "more"}
    assert with_scopes("write").post("/ApiKeys", body).status_code == 403
    assert with_scopes("ApiKeys").post("/ApiKeys", body).status_code == 403
    assert with_scopes().post("/ApiKeys", body).status_code == 201


def test_scopes_never_add_rights():
    User.objects.create_user("nina")
    caller = with_scopes("write", "Items", user_name="nina")
    assert caller.get("/Items").status_code == 403
    assert caller.post("/Items", {}).json()["right"] == "catalogs.add_item"


@pytest.mark.parametrize(
    ("scopes", "sentence"),
    [
        ("raed", 'There is no scope "raed". Did you mean "read"?'),
        ("Item", 'Did you mean "Items"?'),
        ("import Items", "every catalog"),
    ],
)
def test_wrong_scopes_are_refused(scopes, sentence, client):
    with pytest.raises(CommandError, match=re.escape(sentence)):
        call_command("create_api_key", "admin", "--scopes", scopes)
    answer = with_scopes().post("/ApiKeys", {"name": "x", "scopes": scopes.split()})
    assert sentence in answer.json()["errors"]["scopes"][0]
    client.force_login(User.objects.get(username="admin"))
    body = {"user": 1, "name": "x", "scopes": scopes}
    page = client.post("/admin/accounts/apikey/add/", body).content.decode()
    assert "errorlist" in page


def test_the_command_and_the_page_make_keys_with_scopes(client):
    out = io.StringIO()
    call_command("create_api_key", "admin", "--scopes", "Items read", stdout=out)
    key = ApiKey.objects.get()
    assert key.scopes == "read Items"
    caller = Caller(**{"X-Api-Key": out.getvalue().strip()})
    assert caller.get("/Items").status_code == 200
    event = ChangeEvent.objects.filter(model="ApiKeys").latest("id")
    assert event.changes["scopes"] == [None, "read Items"]
    client.force_login(User.objects.get(username="admin"))
    for page in ("", f"{key.pk}/change/"):
        shown = client.get(f"/admin/accounts/apikey/{page}").content.decode()
        assert "read Items" in shown


def test_what_a_key_can_not_expand_names_its_scopes():
    an_item()
    caller = with_scopes("read", "Items")
    answer = caller.get("/Items?expand=unitOfMeasureId")
    assert answer.status_code == 403
    assert answer.json()["detail"] == (
        "This API key has the scopes “read Items” and lacks “UnitsOfMeasure”; use "
        "another key."
    )
    both = with_scopes("read", "Items", "UnitsOfMeasure")
    assert both.get("/Items?expand=unitOfMeasureId").status_code == 200


def test_a_key_to_read_everything_reads_the_details_of_health():
    def status(*scopes):
        key = with_scopes(*scopes).headers
        return Caller().client.get("/health/details", headers=key).status_code

    assert status("read") in (200, 503)
    assert [status("write"), status("import"), status("read", "Items")] == [403] * 3
