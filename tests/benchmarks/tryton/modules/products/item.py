"""The same columns as our items, with a history row for every write."""

from __future__ import annotations

from trytond.model import ModelSQL, Unique, fields


class Unit(ModelSQL):
    """Unit"""

    __name__ = "benchmark.unit"
    _rec_name = "code"
    code = fields.Char("Code", required=True)
    name = fields.Char("Name", required=True)


class Item(ModelSQL):
    """Item"""

    __name__ = "benchmark.item"
    _rec_name = "code"
    _history = True
    is_folder = fields.Boolean("Folder")
    code = fields.Char("Code", required=True)
    name = fields.Char("Name", required=True)
    parent = fields.Many2One("benchmark.item", "Folder", ondelete="RESTRICT")
    category = fields.Char("Category")
    unit = fields.Many2One("benchmark.unit", "Unit", ondelete="RESTRICT")
    barcode = fields.Char("Barcode")
    price = fields.Numeric("Price", digits=(12, 4))
    description = fields.Text("Description")

    @classmethod
    def __setup__(cls):
        super().__setup__()
        table = cls.__table__()
        unique = Unique(table, table.code)
        cls._sql_constraints = [("code", unique, "ir.msg_id_unique")]
