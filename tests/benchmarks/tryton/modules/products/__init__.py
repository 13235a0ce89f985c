"""The module of Tryton with the same columns as our items."""
