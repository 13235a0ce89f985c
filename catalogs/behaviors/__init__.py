"""The rules and actions of catalogs; the name of each states what it ensures."""
