"""Facts about tools: how they are described, and what they answer."""

import os

import jsonschema

from scene import lay_out, serving

HINTS = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}


async def are_described(library, era, scene):
    """Every tool has a title, a sentence, two schemas and hints, and they come in their order."""
    for dialect in scene["dialects"]:
        root = lay_out(scene["directory"], {})
        async with serving(library, era, scene, root, dialect["name"]) as connection:
            tools = await connection.tools()
            assert [tool.name for tool in tools] == dialect["tools"], dialect["name"]
            for tool in tools:
                shown = tool.model_dump(by_alias=True, exclude_none=True, mode="json")
                assert shown["title"] and shown["description"], shown
                for schema in ["inputSchema", "outputSchema"]:
                    jsonschema.Draft202012Validator.check_schema(shown[schema])
                    assert shown[schema]["type"] == "object", shown
                hints = shown["annotations"]
                assert HINTS <= hints.keys(), hints
                assert hints["openWorldHint"] == (tool.name in dialect["runs"]), hints
                assert not (hints["readOnlyHint"] and hints["destructiveHint"]), hints


async def answer(library, era, scene):
    """Every call of every dialect's table comes to what the table says."""
    for dialect in scene["dialects"]:
        table = dialect["table"]
        root = lay_out(scene["directory"], table["files"])
        async with serving(library, era, scene, root, dialect["name"]) as connection:
            schemas = {tool.name: tool.output_schema for tool in await connection.tools()}
            for row in table["calls"]:
                row = with_root(row, root)
                result = await connection.call(row["tool"], row["arguments"])
                try:
                    check(row, result, schemas[row["tool"]], root)
                    if not table.get("facts_repeat_text"):
                        check_said_once(result)
                except (AssertionError, jsonschema.ValidationError) as error:
                    got = f"{result.content} {result.facts}"
                    raise AssertionError(f"{dialect['name']}: {row}\ngot {got}\n{error}") from error


def with_root(value, root):
    """The same with the directory's path where {root} stands."""
    if isinstance(value, str):
        return value.replace("{root}", root)
    if isinstance(value, list):
        return [with_root(item, root) for item in value]
    if isinstance(value, dict):
        return {key: with_root(item, root) for key, item in value.items()}
    return value


def check(row, result, schema, root):
    texts = [block["text"] for block in result.content if block["type"] == "text"]
    assert len(texts) <= 1, "the text stands in one block"
    text = "".join(texts)
    if "error" in row:
        check_refusal(row["error"], result, text)
    else:
        assert not result.is_error, "the call failed"
        jsonschema.validate(result.facts, schema, cls=jsonschema.Draft202012Validator)
    for piece in row.get("says", []):
        assert piece in text, f"the text says {piece!r}"
    for piece in row.get("once", []):
        places = text.count(piece) + sum(leaf.count(piece) for leaf in leaves(result.facts))
        assert places == 1, f"{piece!r} stands {places} times"
    for key, value in row.get("facts", {}).items():
        assert result.facts.get(key) == value, f"{key} is {result.facts.get(key)!r}"
    blocks = [(block["type"], block.get("mimeType")) for block in result.content]
    if "media" in row:
        assert tuple(row["media"]) in blocks, f"the blocks are {blocks}"
    for path, content in row.get("leaves", {}).items():
        check_file(os.path.join(root, path), content)


def check_said_once(result):
    """No fact is the text again; short ones may be, such as a path."""
    for block in result.content:
        text = block.get("text", "").strip()
        repeated = len(text) > 40 and any(leaf.strip() == text for leaf in leaves(result.facts))
        assert not repeated, "the facts repeat the text"


def check_refusal(expected, result, text):
    assert result.is_error, "the call was refused"
    assert result.facts["code"] == expected, f"the code is {result.facts['code']}"
    message = result.facts["message"]
    assert message and message in text, "the text has the sentence"


def check_file(path, content):
    if content is None:
        assert not os.path.lexists(path), f"{path} is there"
        return
    with open(path, encoding="utf-8", newline="") as file:
        there = file.read()
    assert there == content, f"{path} has {there!r}"


def leaves(value):
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
