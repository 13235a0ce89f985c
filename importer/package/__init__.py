"""The data types of an import. Nothing here uses Django.

shapes, tokens, references, paths: values of a package
json_stream, duplicate_keys: bytes to JSON values · hashing
fields, step_kinds, step_objects, package_format: the description of targets and steps
check, key_rules, header_check: the compiled checks · schema, step_schema: the JSON Schema
wire_values: the JSON values that each kind of property accepts
"""
