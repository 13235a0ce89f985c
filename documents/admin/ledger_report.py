"""The table of the report *Ledger balances*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar, Final

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext as _, gettext_lazy

from catalogs.models import Account, Counterparty, Currency
from documents.admin.list_links import entries_link
from documents.admin.report_tables import (
    ZERO,
    Heading,
    ReportCell,
    ReportTable,
    TotalsTable,
    code_of,
    currencies,
    names_of,
    shown_in,
    sums_by,
)
from documents.amounts import amount_in, rounded_of
from documents.registers.balances import LedgerBalance
from platform_site.plots import Plot, Point, Shape
from platform_site.records.admin.formatting import quantity

_ROLES: Final = dict(Account.Role.choices)
Role = Account.Role


def role_title(role: str) -> str:
    """Return the title of a role of accounts."""
    return capfirst(str(_ROLES.get(role, role)))


class LedgerTable(ReportTable):
    """The balances by role, account and counterparty, with their entries behind them."""

    headings: ClassVar[tuple[Heading, ...]] = (
        Heading(gettext_lazy("Role"), "role"),
        Heading(gettext_lazy("Account")),
        Heading(gettext_lazy("Counterparty"), "counterparty_code"),
        Heading(gettext_lazy("Debit"), "debit", is_number=True),
        Heading(gettext_lazy("Credit"), "credit", is_number=True),
        Heading(gettext_lazy("Balance"), "balance", is_number=True),
        Heading(gettext_lazy("Currency"), "currency_code"),
    )
    fields: ClassVar[dict[str, type[Any]]] = {
        "role": str,
        "accountId": int,
        "accountCode": str,
        "counterpartyId": int,
        "counterpartyCode": str,
        "counterpartyName": str,
        "debit": Decimal,
        "credit": Decimal,
        "balance": Decimal,
        "currencyCode": str,
    }

    @cached_property
    def _currencies(self) -> dict[int | None, Currency]:
        return currencies(row.currency_id for row in self.rows)

    @cached_property
    def _accounts(self) -> dict[int | None, tuple[str, str]]:
        keys = sorted({row.account_id for row in self.rows if row.account_id})
        rows = Account._base_manager.filter(pk__one_of=keys)
        known = rows.values_list("pk", "code", "name")
        return {None: ("", ""), **{key: (code, name) for key, code, name in known}}

    def cells(self, rows: Sequence[LedgerBalance]) -> list[list[ReportCell]]:
        """Return the cells of some rows."""
        partners = names_of(Counterparty, (row.counterparty_id for row in rows))
        found = []
        for row in rows:
            currency = self._currencies.get(row.currency_id)
            code, name = self._accounts[row.account_id]
            found.append(
                [
                    ReportCell(role_title(row.role)),
                    ReportCell(code, note=name),
                    ReportCell(
                        row.counterparty_code or "",
                        note=partners.get(row.counterparty_id, ""),
                    ),
                    ReportCell(rounded_of(row.debit, currency)),
                    ReportCell(rounded_of(row.credit, currency)),
                    ReportCell(
                        rounded_of(row.balance, currency), entries_link(row, self.as_of)
                    ),
                    ReportCell(row.currency_code),
                ]
            )
        return found

    def totals(self) -> TotalsTable:
        """Return debit, credit and balance by currency."""
        names = ("debit", "credit", "balance")
        sums = sums_by(self.rows, lambda row: row.currency_id, *names)
        lines = [
            [
                code_of(self._currencies.get(key)),
                quantity(count),
                *(rounded_of(amount, self._currencies.get(key)) for amount in amounts),
            ]
            for key, (count, *amounts) in sums.items()
        ]
        headings = (_("Currency"), _("Rows"), _("Debit"), _("Credit"), _("Balance"))
        return TotalsTable(headings, 1, sorted(lines))

    def plots(self) -> Iterator[Plot]:
        """Yield the balance of each role, for each currency."""
        found: dict[int, dict[str, Decimal]] = {}
        for row in self.rows:
            balances = found.setdefault(row.currency_id, {})
            balances[row.role] = balances.get(row.role, ZERO) + row.balance
        for key, balances in found.items():
            currency = self._currencies.get(key)
            if currency is not None and len(balances) > 1:
                yield self._by_role(currency, balances)

    def _by_role(self, currency: Currency, balances: dict[str, Decimal]) -> Plot:
        owed = balances.get(Role.RECEIVABLES.value, ZERO)
        owing = -balances.get(Role.PAYABLES.value, ZERO)
        words = {
            "receivables": amount_in(owed, currency),
            "payables": amount_in(owing, currency),
        }
        return Plot(
            f"roles-{currency.pk}",
            " · ".join((_("Balance by role"), currency.code)),
            _("Receivables are %(receivables)s, payables %(payables)s") % words,
            Shape.ROWS,
            series=(_("Balance"),),
            points=[
                Point(
                    role_title(role),
                    role_title(role),
                    (balances[role],),
                    self._link_to(role),
                )
                for role in Role.values
                if role in balances
            ],
            heading=_("Role"),
            shown=shown_in(currency),
        )

    def _link_to(self, role: str) -> str:
        return f"{reverse('ledger-report')}?{urlencode({**self.kept, 'role': role})}"

    def lines(self) -> Iterator[list[Any]]:
        """Yield the cells of all rows for a file."""
        partners = names_of(Counterparty, (row.counterparty_id for row in self.rows))
        for row in self.rows:
            yield [
                row.role,
                row.account_id,
                self._accounts[row.account_id][0],
                row.counterparty_id,
                row.counterparty_code,
                partners.get(row.counterparty_id),
                row.debit,
                row.credit,
                row.balance,
                row.currency_code,
            ]
