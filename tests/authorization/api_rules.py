"""Who may call which operation of the API: one rule for each, found by method and path.

What is sent goes to rows that are there, in a savepoint; so an answer of 200 or 204 has
really happened, and one of 400 was let in and read.
"""

from __future__ import annotations

from dataclasses import replace

from tests.authorization.rules import ADMINISTRATOR, ANYBODY, SIGNED_IN, Rule

_ROWS = (
    "(?P<rows>Accounts|BankAccounts|Constants|Counterparties|Currencies|Items"
    "|UnitsOfMeasure|Warehouses|SalesOrders|GoodsReceipts|GoodsIssues|BankReceipts)"
)
_VIEW, _ADD = "{app}.view_{model}", "{app}.add_{model}"
_CHANGE, _DELETE = "{app}.change_{model}", "{app}.delete_{model}"
_EXECUTE = "processing.Execute{processor}"
_UPLOAD = "files.add_storedfile or processing.ExecuteImportItemsFromCsv"

OPERATIONS = (
    Rule("POST Auth/(login|refresh|logout)", "anybody may try", ANYBODY, 400, {}),
    Rule("GET About/license-agreement", "read before one has an account", ANYBODY, 200),
    Rule("GET (About)?", "which installation this is, and its lists", SIGNED_IN, 200),
    Rule("GET Account", "one's own account", SIGNED_IN, 200),
    Rule("PATCH Account", "what is personal in it", SIGNED_IN, 200, {}),
    Rule("POST Account/change-password", "one's own, knowing it", SIGNED_IN, 400, {}),
    Rule("GET Changes", "of the rows one may view (see rows)", SIGNED_IN, 200),
    Rule("POST Files", "whoever may use a file somewhere", _UPLOAD, 415, {}),
    Rule(
        "GET Files/{id}",
        "somebody else's file: to others there is none",
        ADMINISTRATOR,
        200,
        refused=404,
    ),
    Rule("GET Import/(packages|schema|runs|sources)", "imports", ADMINISTRATOR, 200),
    Rule("POST Import/sources(/detect)?", "imports", ADMINISTRATOR, 400, {}),
    Rule("GET Import/sources/{name}", "imports", ADMINISTRATOR, 200),
    Rule("PATCH Import/sources/{name}", "imports", ADMINISTRATOR, 200, {}),
    Rule("DELETE Import/sources/{name}", "imports", ADMINISTRATOR, 204),
    Rule(
        "POST Import/sources/{name}/(run|package)",
        "imports; no file",
        ADMINISTRATOR,
        400,
        {},
    ),
    Rule("GET Import/export", "imports; which rows is missing", ADMINISTRATOR, 400),
    Rule("POST Import/run", "imports", ADMINISTRATOR, 400, {}),
    Rule("GET Import/runs/{runId}/failed", "nothing failed", ADMINISTRATOR, 409),
    Rule("GET Import/runs/{runId}", "somebody else's run", ADMINISTRATOR, 200),
    Rule(
        "POST Import/runs/{runId}/decide",
        "a decision without a choice",
        ADMINISTRATOR,
        400,
        {},
    ),
    Rule("POST Import/runs/{runId}/undo", "an empty run", ADMINISTRATOR, 409, {}),
    Rule("POST Import/runs/{runId}/cancel", "a run that has ended", ADMINISTRATOR, 409),
    Rule("GET Processors", "those one may execute", SIGNED_IN, 200),
    Rule("GET Processors/(?P<processor>\\w+)", "its right", _EXECUTE, 200),
    Rule("GET Processors/{name}", "its right", "processing.Executeprice_list", 200),
    Rule(
        "POST Processors/{name}",
        "its right; the file is missing",
        "processing.Executeprice_list",
        400,
        {},
    ),
    Rule(
        "POST Processors/(?P<processor>Import\\w+)",
        "its right; what it needs is missing",
        _EXECUTE,
        400,
        {},
    ),
    Rule(
        "POST Processors/(?P<processor>RecalculateCosts)",
        "its right, and the one to post what it writes anew",
        _EXECUTE,
        200,
        {},
        also=("documents.post_goodsissue",),
    ),
    Rule(f"GET {_ROWS}(/{{id}})?", "the right to view", _VIEW, 200),
    Rule(f"POST {_ROWS}", "the right to add", _ADD, 400, {}),
    Rule(f"PUT {_ROWS}/{{id}}", "the right to change", _CHANGE, 400, {}),
    Rule(f"PATCH {_ROWS}/{{id}}", "the right to change", _CHANGE, 200, {}),
    Rule(f"DELETE {_ROWS}/{{id}}", "the right to delete", _DELETE, 204),
    Rule(f"POST {_ROWS}/{{id}}/restore", "the right to change", _CHANGE, 200),
    Rule(
        f"POST {_ROWS}/{{id}}/(?P<verb>post|unpost)",
        "the right to post, or to unpost, what one may view",
        "documents.{verb}_{model}",
        200,
        also=(_VIEW,),
    ),
    Rule(
        "POST SalesOrders/{id}/create/GoodsIssues",
        "the right to add a copy of what one may view",
        "documents.add_goodsissue",
        201,
        {},
        also=("documents.view_salesorder",),
    ),
    Rule(
        "POST GoodsIssues/{id}/create/BankReceipts",
        "as above; what the copy lacks is missing",
        "documents.add_bankreceipt",
        400,
        {},
        also=("documents.view_goodsissue",),
    ),
    Rule(
        "GET Reports/StockOnHand",
        "the right to view the register",
        "documents.view_stockmovement",
        200,
    ),
    Rule(
        "GET Reports/LedgerBalances",
        "the right to view the register",
        "documents.view_ledgerentry",
        200,
    ),
    Rule(
        "GET StockMovements",
        "the right to view the register",
        "documents.view_stockmovement",
        200,
    ),
    Rule(
        "GET LedgerEntries",
        "the right to view the register",
        "documents.view_ledgerentry",
        200,
    ),
    Rule("GET Users(/{id})?", "the right to view", "accounts.view_user", 200),
    Rule("PATCH Users/{id}", "an administrator's, by others", ADMINISTRATOR, 200, {}),
    Rule("GET Roles(/{id})?", "the right to view", "accounts.view_role", 200),
    Rule("GET ApiKeys(/{id})?", "the right to view", "accounts.view_apikey", 200),
    Rule("POST ApiKeys", "the right to add", "accounts.add_apikey", 400, {}),
    Rule("DELETE ApiKeys/{id}", "the key of an administrator", ADMINISTRATOR, 204),
    Rule("POST ApiKeys/{id}/revoke", "as above", ADMINISTRATOR, 200),
    Rule("GET Webhooks(/{id})?", "the right to view", "webhooks.view_webhook", 200),
    Rule("POST Webhooks", "the right to add", "webhooks.add_webhook", 400, {}),
    Rule("PATCH Webhooks/{id}", "that of an administrator", ADMINISTRATOR, 200, {}),
    Rule("DELETE Webhooks/{id}", "as above", ADMINISTRATOR, 204),
    Rule(
        "GET Webhooks/{id}/Deliveries",
        "the right to view",
        "webhooks.view_delivery",
        200,
    ),
    Rule(
        "POST Webhooks/{id}/Deliveries/{deliveryId}/retry",
        "for the webhook of an administrator",
        ADMINISTRATOR,
        200,
    ),
    Rule(
        "GET Executions/{id}",
        "what others requested",
        "scheduling.view_jobexecution",
        200,
        refused=404,
    ),
    Rule("GET Jobs(/{id})?", "the right to view", "scheduling.view_job", 200),
    Rule(
        "GET JobExecutions(/{id})?",
        "the right to view",
        "scheduling.view_jobexecution",
        200,
    ),
)
# What a path answers to a method it has not; a HEAD is a GET.
STRAY = (
    Rule("(Auth/.*|About/license-agreement)", "open to everybody", ANYBODY, 405),
    Rule("Import/.*", "imports", ADMINISTRATOR, 405),
    Rule("Files", "uploads", _UPLOAD, 405),
    Rule(
        "(?!Auth/|Import/|Files$|About/license-agreement).*", "others", SIGNED_IN, 405
    ),
)
# OPTIONS answers nothing but which methods there are.
OPTIONS = tuple(replace(rule, answer=200) for rule in STRAY)
