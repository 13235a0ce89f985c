"""Enters an order, follows what changes, and has the costs recalculated without waiting:
`python stay_in_step.py URL KEY`. docs/api.md says how `platform_client` is made."""

from __future__ import annotations

import datetime
import sys
import time
from typing import TypeVar

from platform_client.api.changes import list_changes
from platform_client.api.executions import get_executions
from platform_client.api.items import list_items
from platform_client.api.processors import execute_recalculate_costs
from platform_client.api.sales_orders import create_sales_orders
from platform_client.client import AuthenticatedClient
from platform_client.models.execution import Execution
from platform_client.models.paginated_item_list import PaginatedItemList
from platform_client.models.problem import Problem
from platform_client.models.recalculate_costs_input_request import (
    RecalculateCostsInputRequest,
)
from platform_client.models.sales_order import SalesOrder
from platform_client.models.sales_order_line_request import SalesOrderLineRequest
from platform_client.models.sales_order_line_request_item_id_type_2 import (
    SalesOrderLineRequestItemIdType2,
)
from platform_client.models.sales_order_request import SalesOrderRequest
from platform_client.models.sales_order_request_counterparty_id_type_2 import (
    SalesOrderRequestCounterpartyIdType2,
)
from platform_client.models.sales_order_request_currency_id_type_2 import (
    SalesOrderRequestCurrencyIdType2,
)
from platform_client.models.sales_order_request_warehouse_id_type_2 import (
    SalesOrderRequestWarehouseIdType2,
)

client = AuthenticatedClient(
    base_url=sys.argv[1], token=sys.argv[2], prefix="", auth_header_name="X-Api-Key"
)


T = TypeVar("T")


def say(line: str) -> None:
    """Write a line."""
    sys.stdout.write(f"{line}\n")


def checked(answer: T | Problem | None) -> T:
    """Return an answer; end with the sentence of a problem."""
    if answer is None or isinstance(answer, Problem):
        raise SystemExit(answer.detail if answer else "There was no answer.")
    return answer


def first_item() -> str:
    """Return the code of an item that can be sold."""
    page = list_items.sync(client=client, category_in=["goods"], page_size=1)
    if not isinstance(page, PaginatedItemList):
        # A list may be asked for as CSV, too.
        raise SystemExit(page.detail if isinstance(page, Problem) else "No list came.")
    return page.results[0].code


def entered(code: str) -> SalesOrder:
    """Enter an order; a repetition with the same key enters no second one."""
    item = SalesOrderLineRequestItemIdType2(code=code)
    line = SalesOrderLineRequest(item_id=item, quantity=2, price="1.50")
    order = SalesOrderRequest(
        date=datetime.datetime.now(datetime.UTC),
        counterparty_id=SalesOrderRequestCounterpartyIdType2(code="C11"),
        currency_id=SalesOrderRequestCurrencyIdType2(code="EUR"),
        warehouse_id=SalesOrderRequestWarehouseIdType2(code="MAIN"),
        lines=[line],
    )
    key = f"order-{datetime.datetime.now(datetime.UTC):%Y%m%d%H%M%S}"
    return checked(
        create_sales_orders.sync(client=client, body=order, idempotency_key=key)
    )


def follow(position: str) -> str:
    """Print what has changed since a position; return the next one."""
    page = checked(list_changes.sync(client=client, after=position))
    for change in page.results:
        say(f"{change.at:%H:%M:%S} {change.model} {change.row}: {change.action}")
    return str(page.next_)


def recalculated() -> Execution:
    """Have the costs recalculated, and wait for the end."""
    begun = checked(
        execute_recalculate_costs.sync(
            client=client, body=RecalculateCostsInputRequest(), prefer="respond-async"
        )
    )
    if not isinstance(begun, Execution):
        raise SystemExit("The server has answered at once.")
    while begun.finished_at is None:
        time.sleep(2)
        begun = checked(get_executions.sync(begun.id, client=client))
    return begun


if __name__ == "__main__":
    here = follow("latest")
    order = entered(first_item())
    say(f"Order {order.code} is entered, row {order.id}, version {order.version}.")
    follow(here)
    say(f"Costs: {recalculated().status}")
