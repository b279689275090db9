"""Holds replies against the descriptions of the wire: python described.py DIRECTORY REPLIES."""

import json
import sys
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator


def plain(schema):
    """A schema of OpenAPI 3.0 as one of JSON Schema: what may be null is said otherwise there."""
    if isinstance(schema, list):
        return [plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {name: plain(value) for name, value in schema.items()}
    if schema.pop("nullable", False) and "type" in schema:
        schema["type"] = [schema["type"], "null"]
    return schema


def main():
    directory, replies = Path(sys.argv[1]), json.loads(sys.argv[2])
    documents = {}
    for reply in replies:
        name = reply["file"]
        if name not in documents:
            documents[name] = plain(yaml.safe_load((directory / name).read_text()))
        document = documents[name]
        described = document["paths"][reply["path"]][reply["method"].lower()]["responses"]
        status = str(reply["status"])
        assert status in described, f"{status} is not described: {reply}"
        answer = described[status]
        if "$ref" in answer:
            answer = document["components"]["responses"][answer["$ref"].rsplit("/", 1)[1]]
        content = answer.get("content", {}).get("application/json")
        if content is None:
            assert reply["body"] is None, f"a body is not described: {reply}"
            continue
        schema = {**content["schema"], "components": document["components"]}
        Draft202012Validator(schema).validate(reply["body"])
    print(f"{len(replies)} replies")


main()
