"""The notifications of users: what failed, and what works again."""
