"""Who may do what, held as data: identities, rules, and the walk over everything there is.

`identities` names who asks, with their rights; `api_rules`, `page_rules` and
`command_rules` say in words what is expected of each operation. A new operation without
exactly one rule fails.
"""
