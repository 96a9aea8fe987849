"""Scenarios on the demo, which answers without a model."""

import os

import openai

from shown import Collector, failure, whole

MODEL = os.environ["MODEL"]


def asking(question, model=MODEL):
    return {"model": model, "messages": [{"role": "user", "content": question}]}


REQUEST = asking(os.environ["QUESTION"])
IN_URL = asking(os.environ["QUESTION"], "gpt-4o")
NOTHING = asking("Who composed the opera Turandot?")
UNKNOWN = {**REQUEST, "model": "no-such-assistant"}


def create(clients, request):
    return whole(clients.plain.chat.completions.create(**request))


def stream(clients, request):
    collector = Collector()
    for chunk in clients.plain.chat.completions.create(**request, stream=True):
        collector.add(chunk)
    return collector.shown


def helper(clients, request):
    """The helper's final object keeps the top level of the first chunk only;
    the citations are on the event of the finish chunk."""
    collector, text = Collector(), ""
    with clients.plain.chat.completions.stream(**request) as events:
        for event in events:
            if event.type == "chunk":
                collector.add(event.chunk)
            elif event.type == "content.delta":
                text += event.delta
        final = whole(events.get_final_completion())
    return {**final, "citations": collector.shown.get("citations"), "text_of_events": text}


def response(clients):
    raw = clients.plain.chat.completions.with_raw_response.create(**REQUEST)
    return {
        **whole(raw.parse()),
        "request_id": raw.request_id,
        "assistant_header": raw.headers.get("x-footnote-assistant"),
        "citations_header": raw.headers.get("x-footnote-citations"),
    }


def async_create(clients):
    async def use(client):
        return whole(await client.chat.completions.create(**REQUEST))

    return clients.waiting(use)


def async_stream(clients):
    async def use(client):
        collector = Collector()
        async for chunk in await client.chat.completions.create(**REQUEST, stream=True):
            collector.add(chunk)
        return collector.shown

    return clients.waiting(use)


def models(clients):
    ids = [model.id for model in clients.plain.models.list()]
    return {"models": {"ids": ids, "one": clients.plain.models.retrieve(MODEL).model_dump()}}


def failing(call):
    try:
        call()
    except openai.APIStatusError as error:
        return {"error": failure(error)}
    return {}


def scenarios(clients):
    # The assistant in the base URL: the client keeps its own idea of a model.
    in_url = clients.having(base_url=os.environ["ASSISTANT_URL"])
    # The demo is public; SDKs insist on sending some key.
    anyone = clients.having(api_key="any")
    stranger = clients.having(api_key="fn-not-a-key-of-this-server")
    no_messages = {"model": MODEL, "messages": openai.omit}
    return {
        "create": lambda: create(anyone, REQUEST),
        "stream": lambda: stream(anyone, REQUEST),
        "stream_usage": lambda: stream(clients, {**REQUEST, "stream_options": {"include_usage": True}}),
        "helper": lambda: helper(clients, REQUEST),
        "response": lambda: response(clients),
        "async_create": lambda: async_create(clients),
        "async_stream": lambda: async_stream(clients),
        "create_about_nothing": lambda: create(clients, NOTHING),
        "stream_about_nothing": lambda: stream(clients, NOTHING),
        "helper_about_nothing": lambda: helper(clients, NOTHING),
        "create_in_url": lambda: create(in_url, IN_URL),
        "stream_in_url": lambda: stream(in_url, IN_URL),
        "models": lambda: models(clients),
        "unknown_model": lambda: failing(lambda: create(clients, UNKNOWN)),
        "unknown_model_streamed": lambda: failing(lambda: stream(clients, UNKNOWN)),
        "unknown_model_retrieved": lambda: failing(lambda: clients.plain.models.retrieve("no-such-assistant")),
        "no_messages": lambda: failing(lambda: create(clients, no_messages)),
        "wrong_key": lambda: failing(lambda: create(stranger, REQUEST)),
    }
