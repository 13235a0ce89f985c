"""A tiny project with the importer and none of the product's other packages."""
