"""A dry run knows which catalog rows the documents of its package fix, and the other way
round what the package says of the items of its documents."""

from __future__ import annotations

import pytest

from tests.builders import a_package, code, ref
from tests.importer.documents.packages import line, payment, receipts, rice, trade

pytestmark = pytest.mark.django_db


def test_catalogs_are_fixed_by_the_documents_that_the_package_posts(agreeing):
    package = receipts(("r1", rice("9"))).documents("BankReceipts", submit=True)
    package.item("b1", **payment())
    taking = {"match": ["code"], "takeOver": ["company"]}
    package.with_step("Items", **taking)
    package.goods("rice", "RICE", code("PC"), category="service")
    package.goods("tea", "TEA", code("PC"), category="service")
    package.with_step("Currencies").item("usd", code="USD", name="Dollar")
    package.with_step("BankAccounts", **taking)
    package.item("bank", code="B", name="Bank", currencyId=ref("usd"))
    found, said = agreeing(package)
    assert (found["rice"], found["tea"], found["bank"]) == (
        *("Failed", "Adopted", "Failed"),
    )
    assert "(goods receipt GR-2026-000001)" in said["rice"]
    assert "(bank receipt BR-2026-000001)" in said["bank"]


def test_a_document_that_no_longer_names_an_item_sets_it_free(agreeing, run):
    run(receipts(("r1", rice("9")), ("r2", rice("9", 2))))
    tea = trade([line("TEA")])
    package = receipts(("r1", tea), ("r2", rice("8", 2)), onChange="update")
    package.with_step("Items", match=["code"], takeOver=["company"])
    package.goods("rice", "RICE", code("PC"), category="service")
    _found, said = agreeing(package)
    assert "(goods receipt GR-2026-000002)" in said["rice"]
    package.steps[0]["items"][1]["lines"] = [line("TEA")]
    assert agreeing(package)[0]["rice"] == "Adopted"


def test_a_copy_has_stock_or_not_as_the_package_says_of_its_items(agreeing, run):
    ordered = trade([line("FREIGHT")], code="MINE")
    run(a_package("ordered").documents("SalesOrders").item("o1", **ordered))
    package = a_package("later")
    package.with_step("Items", match=["code"], takeOver=["company"])
    package.goods("freight", "FREIGHT", code("PC"), category="goods")
    package.created("GoodsIssues", "SalesOrders", submit=True)
    package.item("i1", **{"$source": code("MINE")})
    found, said = agreeing(package)
    assert found == {"freight": "Adopted", "i1": "Failed"}
    assert "Not enough FREIGHT" in said["i1"]
