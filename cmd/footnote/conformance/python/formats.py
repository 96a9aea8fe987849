"""openai-python and the formats of citations."""

import os

from reading import of_completion, scenarios as every

CLIENT = os.environ["CLIENT"]
# The SDK refuses fields that it does not know, unless they are given apart.
EVENTS = {"extra_body": {"citation_options": {"events": True}}}
IN_MESSAGE = {"extra_body": {"citation_options": {"in_message": True}}}


def scenarios(clients):
    def at(question):
        return clients.having(base_url=question.base_url, max_retries=0).plain.chat.completions

    def create(**options):
        return lambda question, _: of_completion(at(question).create(**{**question.request, "model": question.model}, **options))

    def raw(question, _):
        response = at(question).with_raw_response.create(**{**question.request, "model": question.model})
        return of_completion(response.parse())

    def stream(**options):
        def ask(question, reader):
            for chunk in at(question).create(**{**question.request, "model": question.model}, stream=True, **options):
                reader.add(chunk)

        return ask

    def helper(**options):
        def ask(question, reader):
            with at(question).stream(**{**question.request, "model": question.model}, **options) as events:
                for event in events:
                    if event.type == "content.delta":
                        reader.reading["text"] += event.delta
                return of_completion(events.get_final_completion())

        return ask

    ways = {"create": create(), "raw": raw, "stream": stream(), "helper": helper()}
    asked = {
        "events": stream(**EVENTS),
        "in_message": create(**IN_MESSAGE),
        "in_message_stream": stream(**IN_MESSAGE),
        "in_message_helper": helper(**IN_MESSAGE),
    }
    return every(CLIENT, {**ways, **asked})
