"""An idempotent import engine: a package applied any number of times, told per object.

Add ``importer`` to ``INSTALLED_APPS``, register a model with a DRF serializer in a
module ``importing.py``, and call ``importer.services.import_package``.
"""
