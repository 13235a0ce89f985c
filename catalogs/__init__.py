"""The catalogs of the configuration ``Trade``: the reference data of documents."""
