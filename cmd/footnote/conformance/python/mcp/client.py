"""Uses the server as an agent does, with the Python SDK of the Model Context Protocol."""

import asyncio
import json
import os

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

URL, KEY, QUESTION = os.environ["BASE_URL"], os.environ["API_KEY"], os.environ["QUESTION"]


def over_http(key):
    headers = {"Authorization": "Bearer " + key}
    return streamable_http_client(URL + "/mcp", http_client=httpx2.AsyncClient(headers=headers, timeout=60))


def over_stdio(key):
    return StdioServerParameters(command=os.environ["PROGRAM"], args=["mcp", "--url", URL, "--key", key])


async def failure(call):
    try:
        await call
    except MCPError as error:
        return {"code": error.error.code, "message": error.error.message}
    return None


def shown(result):
    return {"texts": [c.text for c in result.content], "structured": result.structured_content, "error": result.is_error}


async def use(transport, mode):
    async with Client(transport, mode=mode) as client:
        tools = (await client.list_tools()).tools
        notes = []

        async def note(progress, total, message):
            notes.append({"progress": progress, "total": total, "message": message})

        templates = await client.list_resource_templates()
        resources = (await client.list_resources()).resources
        handbook = next(r.uri for r in resources if r.name == "employee-handbook.pdf")
        page = await client.read_resource(handbook + "/pages/4")
        whole = await client.read_resource(handbook)
        return {
            "version": client.protocol_version,
            "tools": sorted(tool.name for tool in tools),
            "schemas": all(tool.input_schema and tool.output_schema for tool in tools),
            "templates": sorted(t.uri_template for t in templates.resource_templates),
            "resources": len(resources),
            "search": shown(await client.call_tool("search", {"query": QUESTION, "limit": 2})),
            "search_with_progress": shown(await client.call_tool("search", {"query": QUESTION, "limit": 2}, progress_callback=note)),
            "ask": shown(await client.call_tool("ask", {"question": QUESTION})),
            "ask_with_progress": shown(await client.call_tool("ask", {"question": QUESTION}, progress_callback=note)),
            "progress": notes,
            "page": page.contents[0].text,
            "whole": whole.contents[0].text,
            "wrong_arguments": shown(await client.call_tool("search", {"query": ""})),
            "wrong_assistant": shown(await client.call_tool("ask", {"question": QUESTION, "assistant": "nobody"})),
            "unknown_tool": await failure(client.call_tool("destroy", {})),
            "unknown_resource": await failure(client.read_resource(handbook + "/pages/400")),
        }


def leaves(error):
    """The errors in a group, which tasks of the SDK raise together."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in leaves(inner)]
    return [error]


async def refused(transport):
    try:
        async with Client(transport, mode="legacy") as client:
            await client.list_tools()
    except BaseException as error:
        return {"refused": [type(leaf).__name__ for leaf in leaves(error)]}
    return {}


async def main():
    results = {}
    for mode in ["legacy", "auto"]:
        results["http " + mode] = await use(over_http(KEY), mode)
        results["stdio " + mode] = await use(over_stdio(KEY), mode)
    results["wrong key"] = await refused(over_http("fn-not-a-key-of-this-server"))
    print(json.dumps(results))


asyncio.run(main())
