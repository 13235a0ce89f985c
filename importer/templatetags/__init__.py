"""What the templates of the importer need."""
