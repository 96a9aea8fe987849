"""Scenarios on a scripted model server: each question is asked in every way
that the SDK offers. The model's name tells the server what to play, and whom it
plays to."""

import json
import os
from functools import partial

from pydantic import BaseModel

from shown import Collector, whole

CLIENT = os.environ["CLIENT"]
USAGE = {"stream_options": {"include_usage": True}}

with open(os.environ["REQUESTS"], encoding="utf-8") as file:
    REQUESTS = json.load(file)
# The SDK refuses fields that it does not know, unless they are given apart.
for request in REQUESTS.values():
    request["extra_body"] = {name: request.pop(name) for name in list(request) if name.startswith("x_")}


class Vacation(BaseModel):
    days: int
    note: str


# Each way asks, and returns the message that a next turn would repeat beside
# what is shown.


def create(clients, request):
    completion = clients.plain.chat.completions.create(**request)
    return whole(completion), completion.choices[0].message


def stream(clients, request):
    collector = Collector()
    for chunk in clients.plain.chat.completions.create(**request, **USAGE, stream=True):
        collector.add(chunk)
    return collector.shown, turn(collector.shown)


def helper(clients, request):
    collector = Collector()
    with clients.plain.chat.completions.stream(**request, **USAGE) as events:
        for event in events:
            if event.type == "chunk":
                collector.add(event.chunk)
        final = events.get_final_completion()
    return helped(final, collector), final.choices[0].message


def async_create(clients, request):
    async def use(client):
        completion = await client.chat.completions.create(**request)
        return whole(completion), completion.choices[0].message

    return clients.waiting(use)


def async_stream(clients, request):
    async def use(client):
        collector = Collector()
        async for chunk in await client.chat.completions.create(**request, **USAGE, stream=True):
            collector.add(chunk)
        return collector.shown, turn(collector.shown)

    return clients.waiting(use)


def async_helper(clients, request):
    async def use(client):
        collector = Collector()
        async with client.chat.completions.stream(**request, **USAGE) as events:
            async for event in events:
                if event.type == "chunk":
                    collector.add(event.chunk)
            final = await events.get_final_completion()
        return helped(final, collector), final.choices[0].message

    return clients.waiting(use)


def parse(clients, request):
    completion = clients.plain.chat.completions.parse(**typed(request))
    return whole(completion), completion.choices[0].message


def parse_helper(clients, request):
    return helper(clients, typed(request))


def typed(request):
    return {**request, "response_format": Vacation} if "response_format" in request else request


def helped(final, collector):
    """What a helper shows: its final object, and its events apart where they know more."""
    shown, events = whole(final), collector.shown
    kept = {name: events.get(name) for name in ("citations", "citations_chunks", "citations_on_finish")}
    return {**shown, **kept, "final_citations": shown["citations"]}


def turn(shown):
    """The message that a loop over chunks puts together by hand."""
    first = shown["choices"][0]
    calls = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in first["tool_calls"]
    ]
    return {"role": "assistant", "content": first["text"] or None, **({"tool_calls": calls} if calls else {})}


def call_tools(ask):
    """Lets the model call tools, answers the calls, and asks again."""
    request = REQUESTS["tools"]
    shown, message = ask("tools", request)
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": f"{8 + i} days"}
        for i, call in enumerate(shown["choices"][0]["tool_calls"])
    ]
    messages = [*request["messages"], message, *results]
    answered, _ = ask("tools_answered", {**request, "messages": messages})
    return {**shown, "answered": answered}


PLAIN = ("question", "converted", "choices", "structured", "logprobs", "images")
WAYS = (create, stream, helper, async_create, async_stream, async_helper, parse, parse_helper)


def scenarios(clients):
    found = {}
    for way in WAYS:

        def ask(name, request, way=way):
            return way(clients, {**request, "model": f"{name}/{CLIENT}/{way.__name__}"})

        parsing = way in (parse, parse_helper)
        for name in ("question", "structured") if parsing else PLAIN:
            found[f"{name}/{way.__name__}"] = partial(lambda ask, name: ask(name, REQUESTS[name])[0], ask, name)
        if not parsing:
            found[f"tools/{way.__name__}"] = partial(call_tools, ask)
    return found
