"""The addresses of all kinds of pages in an installation of the demo company, for tests
and pictures that look at every page."""

from __future__ import annotations

import re

from tests.builders import units
from tests.journeys.browser import Person

# What each address needs: the first row that a query finds.
_ROWS = {
    "run": "SELECT run_id FROM importer_importrun",
    "item": "SELECT min(id) FROM catalogs_item WHERE NOT is_folder",
    "folder": "SELECT min(id) FROM catalogs_item WHERE is_folder",
    "customer": "SELECT min(id) FROM catalogs_counterparty WHERE is_customer",
    "account": "SELECT min(id) FROM catalogs_account WHERE role = 'receivables'",
    "bank": "SELECT min(id) FROM catalogs_bankaccount",
    "warehouse": "SELECT min(id) FROM catalogs_warehouse",
    "order": "SELECT min(id) FROM documents_salesorder",
    "issue": "SELECT min(id) FROM documents_goodsissue WHERE is_active",
    "payment": "SELECT min(id) FROM documents_bankreceipt",
    "event": "SELECT min(id) FROM changes_changeevent",
}
_PAGES = """
/admin/
/admin/search/?q=pan
/admin/search/?q=nothing-there
/admin/import
/admin/import?run={run}
/admin/import/table
/admin/catalogs/item/
/admin/catalogs/item/?folder={folder}
/admin/catalogs/item/?q=pan
/admin/catalogs/item/?q=nothing-there
/admin/catalogs/item/{item}/
/admin/catalogs/item/{item}/related/
/admin/catalogs/item/{item}/source/
/admin/catalogs/item/{folder}/
/admin/catalogs/item/{item}/change/
/admin/catalogs/item/{item}/history/
/admin/catalogs/item/{item}/delete/
/admin/catalogs/item/add/
/admin/catalogs/counterparty/
/admin/catalogs/counterparty/{customer}/
/admin/catalogs/counterparty/{customer}/related/
/admin/catalogs/counterparty/{customer}/change/
/admin/catalogs/account/
/admin/catalogs/account/{account}/
/admin/catalogs/bankaccount/{bank}/
/admin/catalogs/warehouse/{warehouse}/
/admin/catalogs/constant/?q=nothing-there
/admin/documents/salesorder/
/admin/documents/salesorder/?late=yes
/admin/documents/salesorder/{order}/
/admin/documents/salesorder/{order}/change/
/admin/documents/goodsreceipt/
/admin/documents/goodsissue/
/admin/documents/goodsissue/{issue}/
/admin/documents/goodsissue/{issue}/related/
/admin/documents/goodsissue/{issue}/history/
/admin/documents/goodsissue/{issue}/change/
/admin/documents/goodsissue/{issue}/print/
/admin/documents/goodsissue/{issue}/delete/
/admin/documents/goodsissue/add/
/admin/documents/bankreceipt/
/admin/documents/bankreceipt/{payment}/
/admin/documents/bankreceipt/{payment}/change/
/admin/documents/bankreceipt/add/?source=GoodsIssues&source_id={issue}
/admin/documents/stockmovement/
/admin/documents/stockbalance/
/admin/documents/ledgerentry/
/admin/reports/stock-on-hand
/admin/reports/stock-on-hand?item={item}
/admin/reports/stock-on-hand?as_of=2000-01-01
/admin/reports/ledger-balances
/admin/changes/changeevent/
/admin/changes/changeevent/{event}/change/
/admin/automation/
/admin/processing/processorexecution/
/admin/processors
/admin/processors/ImportItemsFromCsv
/admin/scheduling/job/
/admin/scheduling/job/add/
/admin/scheduling/jobexecution/
/admin/demo/demoinstallation/
/admin/accounts/user/
/admin/accounts/user/add/
/admin/accounts/user/1/change/
/admin/accounts/user/1/history/
/admin/accounts/role/
/admin/accounts/role/add/
/admin/accounts/role/1/change/
/admin/accounts/role/add/?preset=accountant
/admin/accounts/apikey/
/admin/accounts/apikey/add/
/admin/webhooks/webhook/
/admin/webhooks/webhook/add/
/admin/webhooks/delivery/
/admin/account/
/admin/system/
/admin/notifications
/admin/password_change/
/admin/no-such-page/
"""


def every_page(installation, browser):
    """Return the addresses; one of them is the report of a dry run with errors."""
    rows = {name: installation.rows(query)[0][0] for name, query in _ROWS.items()}
    pages = [path.format_map(rows) for path in _PAGES.split()]
    return [*pages, _report_with_errors(installation, browser)]


def short_name(path):
    """Return a name for the file of a page's picture."""
    # The page of a row, not of its list.
    path = re.sub(r"/\d+/$", "/row/", path)
    plain = re.sub(
        r"[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f-]{27}|\d+", "", path.removeprefix("/admin/")
    )
    return re.sub(r"[^a-z]+", "-", plain.lower()).strip("-") or "start"


def _report_with_errors(installation, browser):
    person = Person(browser, installation.url)
    wrong = units("a", "b", package="wrong")
    wrong.steps[0]["items"][0]["colour"] = "red"
    person.choose(wrong)
    person.press("Dry run", "form[data-upload]")
    person.sees("Errors (1)")
    report = person.page.url.removeprefix(installation.url)
    person.context.close()
    return report
