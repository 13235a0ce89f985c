"""The template tags of the importer."""
