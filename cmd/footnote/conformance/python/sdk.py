"""Drives Footnote with the OpenAI SDK for Python and prints what the SDK shows
as one line of JSON. The Go tests beside this folder start it, with the name of
a scenario as its argument, and judge the result.

Environment: BASE_URL, API_KEY, MODEL, QUESTION.
"""

import asyncio
import json
import os
import sys

import openai

OPTIONS = {"base_url": os.environ["BASE_URL"], "api_key": os.environ["API_KEY"], "max_retries": 0, "timeout": 60}
MODEL = os.environ["MODEL"]
REQUEST = {"model": MODEL, "messages": [{"role": "user", "content": os.environ["QUESTION"]}]}

client = openai.OpenAI(**OPTIONS)


def whole(completion):
    """What a completion shows; its citations are read as an attribute, as people do."""
    return {
        "object": completion.object,
        "model": completion.model,
        "choices": len(completion.choices),
        "text": completion.choices[0].message.content,
        "finish_reason": completion.choices[0].finish_reason,
        "citations": getattr(completion, "citations", None),
    }


class Collector:
    """What a loop over the chunks of a stream shows."""

    def __init__(self):
        self.seen = {"text": "", "chunks": 0, "deltas": 0, "finishes": 0, "citations_chunks": 0}

    def add(self, chunk):
        seen = self.seen
        seen["chunks"] += 1
        seen["object"] = chunk.object
        seen["model"] = chunk.model
        choice = chunk.choices[0] if chunk.choices else None
        if choice and choice.delta.content:
            seen["text"] += choice.delta.content
            seen["deltas"] += 1
        citations = getattr(chunk, "citations", None)
        if citations is not None:
            seen["citations_chunks"] += 1
            seen["citations"] = citations
            seen["citations_on_finish"] = bool(choice and choice.finish_reason)
        if choice and choice.finish_reason:
            seen["finishes"] += 1
            seen["finish_reason"] = choice.finish_reason
        if chunk.usage:
            seen["usage_choices"] = len(chunk.choices)


def collect(stream):
    collector = Collector()
    for chunk in stream:
        collector.add(chunk)
    return collector.seen


def failure(call):
    try:
        call()
    except openai.APIStatusError as error:
        return {
            "class": type(error).__name__,
            "status": error.status_code,
            "message": error.body.get("message"),
            "type": error.type,
            "param": error.param,
            "code": error.code,
            "request_id": error.request_id,
        }
    return {"class": "none"}


def create():
    return whole(client.chat.completions.create(**REQUEST))


def response():
    raw = client.chat.completions.with_raw_response.create(**REQUEST)
    return {
        **whole(raw.parse()),
        "request_id": raw.request_id,
        "assistant_header": raw.headers.get("x-footnote-assistant"),
        "citations_header": raw.headers.get("x-footnote-citations"),
    }


def stream():
    return collect(client.chat.completions.create(**REQUEST, stream=True))


def stream_usage():
    return collect(client.chat.completions.create(**REQUEST, stream=True, stream_options={"include_usage": True}))


def helper():
    """The helper's final snapshot keeps the top level of the first chunk only;
    the citations are on the event of the finish chunk."""
    collector, text = Collector(), ""
    with client.chat.completions.stream(**REQUEST) as events:
        for event in events:
            if event.type == "chunk":
                collector.add(event.chunk)
            elif event.type == "content.delta":
                text += event.delta
        final = whole(events.get_final_completion())
    return {**final, "citations": collector.seen.get("citations"), "text_of_events": text}


async def async_create_():
    async with openai.AsyncOpenAI(**OPTIONS) as async_client:
        return whole(await async_client.chat.completions.create(**REQUEST))


async def async_stream_():
    collector = Collector()
    async with openai.AsyncOpenAI(**OPTIONS) as async_client:
        async for chunk in await async_client.chat.completions.create(**REQUEST, stream=True):
            collector.add(chunk)
    return collector.seen


def async_create():
    return asyncio.run(async_create_())


def async_stream():
    return asyncio.run(async_stream_())


def models():
    return {
        "ids": [model.id for model in client.models.list()],
        "one": client.models.retrieve(MODEL).model_dump(),
    }


def errors():
    unknown = {**REQUEST, "model": "no-such-assistant"}
    stranger = client.with_options(api_key="fn-not-a-key-of-this-server")
    return {
        "unknown_model": failure(lambda: client.chat.completions.create(**unknown)),
        "unknown_model_streamed": failure(lambda: client.chat.completions.create(**unknown, stream=True)),
        "unknown_model_retrieved": failure(lambda: client.models.retrieve("no-such-assistant")),
        "no_messages": failure(lambda: client.chat.completions.create(model=MODEL, messages=openai.omit)),
        "wrong_key": failure(lambda: stranger.chat.completions.create(**REQUEST)),
    }


SCENARIOS = {
    function.__name__: function
    for function in (create, response, stream, stream_usage, helper, async_create, async_stream, models, errors)
}

if __name__ == "__main__":
    print(json.dumps(SCENARIOS[sys.argv[1]]()))
