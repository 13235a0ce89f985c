"""The demo company: a package the importer applies."""
