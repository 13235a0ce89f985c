"""Demo data: seeding, updates, removal, and the package itself."""
