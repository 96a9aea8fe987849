"""Scenarios in which something fails: what the model server refuses, what
Footnote refuses, what breaks off in mid-stream, and a client that leaves."""

import os
from functools import partial

from shown import Collector, failure

CLIENT = os.environ["CLIENT"]
MESSAGES = [{"role": "user", "content": "How many vacation days do employees get per year?"}]

# Each way collects what arrives before something fails. With `leave` it goes
# away after the first text.


def create(clients, request, collector, leave):
    clients.plain.chat.completions.create(**request)


def parse(clients, request, collector, leave):
    clients.plain.chat.completions.parse(**request)


def stream(clients, request, collector, leave):
    with clients.plain.chat.completions.create(**request, stream=True) as chunks:
        for chunk in chunks:
            collector.add(chunk)
            if leave and has_text(collector):
                return


def helper(clients, request, collector, leave):
    with clients.plain.chat.completions.stream(**request) as events:
        for event in events:
            if event.type == "chunk":
                collector.add(event.chunk)
                if leave and has_text(collector):
                    return


def async_create(clients, request, collector, leave):
    async def use(client):
        await client.chat.completions.create(**request)

    clients.waiting(use)


def async_stream(clients, request, collector, leave):
    async def use(client):
        async with await client.chat.completions.create(**request, stream=True) as chunks:
            async for chunk in chunks:
                collector.add(chunk)
                if leave and has_text(collector):
                    return

    clients.waiting(use)


def has_text(collector):
    choices = collector.shown["choices"]
    return bool(choices and choices[0]["text"])


def failing(way, clients, request, leave=False):
    collector = Collector()
    try:
        way(clients, request, collector, leave)
    except Exception as error:
        return {**collector.shown, "error": failure(error)}
    return collector.shown  # no error: the test says so if there should be one


def too_often(way, clients, request):
    """A stranger may not ask so often."""
    for _ in range(100):
        shown = failing(way, clients, request)
        if "error" in shown:
            break
    return shown


def scenarios(clients):
    anyone = clients.having(base_url=os.environ["PUBLIC_URL"], api_key="any", max_retries=0)
    root = clients.having(base_url=os.environ["ROOT_URL"])
    searcher = clients.having(api_key=os.environ["SEARCH_KEY"])
    stranger = clients.having(api_key="fn-not-a-key-of-this-server")
    names = [*os.environ["REFUSED"].split(","), *os.environ["BROKEN"].split(",")]
    large = [{"role": "user", "content": "x" * (3 << 20)}]
    found = {}
    for way in (create, parse, stream, helper, async_create, async_stream):

        def put(name, using, messages=MESSAGES, way=way, **options):
            request = {"model": f"{name}/{CLIENT}/{way.__name__}", "messages": messages, **options}
            found[f"{name}/{way.__name__}"] = partial(failing, way, using, request)

        for name in names:
            put(name, clients)
        put("bad_request", clients, [])
        put("wrong_key", stranger)
        put("wrong_scope", searcher)
        put("unknown_model", root)
        put("no_model", clients, model="manual")
        strange = {"model": f"too_fast/{CLIENT}/{way.__name__}", "messages": MESSAGES}
        found[f"too_fast/{way.__name__}"] = partial(too_often, way, anyone, strange)
        put("too_large", clients, large)
        if way not in (create, parse, async_create):
            left = {"model": f"left/{CLIENT}/{way.__name__}", "messages": MESSAGES}
            found[f"left/{way.__name__}"] = partial(failing, way, clients, left, leave=True)
    return found
