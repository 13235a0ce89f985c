"""The room of agents: language models that use the platform by the Model Context
Protocol, at `/mcp` or by `manage.py mcp`.

Its tools read, judge and propose through the platform's own API, so an agent has just the
rights of its API key. Only `protocol` needs the extra `mcp`.
"""
