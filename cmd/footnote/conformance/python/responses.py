"""Scenarios on responses, with each way to ask that the SDK has."""

import os

STORE = os.environ.get("STORE")
QUESTION = "How many vacation days do I get per year?"


def shown(response):
    part = response.output[0].content[0]
    return {
        "id": response.id,
        "status": response.status,
        "text": response.output_text,
        "annotations": [a.to_dict() for a in part.annotations],
        "sources": len(response.citations["sources"]),
        "cited": response.citations["status"],
        "tokens": response.usage.total_tokens,
        "stored": response.store,
    }


def scenarios(clients):
    responses = clients.plain.responses

    def ask(**body):
        return {"model": "handbook", "input": QUESTION, **body}

    def stream():
        events, final = [], None
        for event in responses.create(stream=True, **ask()):
            if not events or events[-1] != event.type:
                events.append(event.type)
            if event.type == "response.completed":
                final = event.response
        return {**shown(final), "events": events}

    def helper():
        text = ""
        with responses.stream(**ask()) as events:
            for event in events:
                if event.type == "response.output_text.delta":
                    text += event.delta
            return {**shown(events.get_final_response()), "events": [text]}

    def conversation():
        first = responses.create(**ask())
        second = responses.create(**ask(input="And in the first year?", previous_response_id=first.id))
        again = responses.retrieve(second.id)
        responses.delete(second.id)
        try:
            responses.retrieve(second.id)
        except Exception as error:
            gone = type(error).__name__
        return {**shown(again), "events": [second.previous_response_id == first.id, again.id == second.id, gone]}

    def reference():
        first = responses.create(**ask())
        turns = [{"role": "user", "content": QUESTION}, {"type": "item_reference", "id": first.output[0].id}]
        return shown(responses.create(**ask(input=[*turns, {"role": "user", "content": QUESTION}])))

    async def waiting(client):
        return shown(await client.responses.create(**ask()))

    return {
        "create": lambda: shown(responses.create(**ask(instructions="Be brief.", temperature=0, metadata={"a": "b"}))),
        "items": lambda: shown(
            responses.create(
                **ask(
                    input=[
                        {"role": "developer", "content": "Be brief."},
                        {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
                    ]
                )
            )
        ),
        "async": lambda: clients.waiting(waiting),
        "stream": stream,
        "helper": helper,
        "conversation": conversation,
        "reference": reference,
        "file_search": lambda: shown(
            responses.create(
                **ask(
                    input="When does the harbour close?",
                    tools=[{"type": "file_search", "vector_store_ids": [STORE], "max_num_results": 3}],
                )
            )
        ),
        "unsupported": lambda: responses.create(**ask(tools=[{"type": "web_search"}])),
        "unsupported_stream": lambda: responses.create(**ask(stream=True, tools=[{"type": "web_search"}])),
        "picture": lambda: responses.create(
            **ask(input=[{"role": "user", "content": [{"type": "input_image", "image_url": "https://example.com/a.png", "detail": "auto"}]}])
        ),
        "missing": lambda: responses.create(**ask(model="nobody")),
        "forgotten": lambda: responses.create(**ask(previous_response_id="resp_of_another_server")),
    }
