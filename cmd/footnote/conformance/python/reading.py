"""What a client lets its user read of an answer, under the names of the wire
and in the form that the Go tests read: see reading_test.go."""

import json
import os
from functools import partial

with open(os.environ["REQUESTS"], encoding="utf-8") as file:
    REQUESTS = json.load(file)


def members(value):
    """A dict of what a client gives: of its model, or of what is one already."""
    if value is None or isinstance(value, dict):
        return value or {}
    return value.to_dict() if hasattr(value, "to_dict") else value.model_dump()


def of_completion(completion):
    """Reads a completion as it came, or what a helper put together."""
    body = members(completion)
    message = body["choices"][0]["message"]
    tools = [{"id": call["id"], **_function(call)} for call in message.get("tool_calls") or []]
    return {"text": message.get("content") or "", "tools": tools, **of_body(body)}


def of_body(body):
    """Reads what a framework does not know, from the JSON that it passes on."""
    body = members(body)
    message = body["choices"][0]["message"]
    return {**_around(body), **_beside(message), "in_message": message.get("citations")}


def _function(call):
    return {"name": call["function"]["name"], "arguments": call["function"]["arguments"]}


def _around(body):
    return {"citations": body.get("citations"), "search_results": body.get("search_results")}


def _beside(message):
    return {"annotations": message.get("annotations"), "context": message.get("context")}


class Reader:
    """Reads the chunks of a stream, as many as the client passes on."""

    def __init__(self):
        self.reading = {"text": "", "tools": []}

    def add(self, chunk):
        """A chunk as the SDK shows it."""
        body, reading = members(chunk), self.reading
        reading.update({name: value for name, value in _around(body).items() if value is not None})
        if body.get("citation") is not None:
            reading.setdefault("events", []).append(body["citation"])
        for choice in body["choices"]:
            self._add(members(choice["delta"]))

    def _add(self, delta):
        reading, beside = self.reading, _beside(delta)
        annotations = beside.pop("annotations")
        if annotations:
            reading.setdefault("annotations", []).extend(members(a) for a in annotations)
        if beside["context"] is not None:
            reading["context"] = beside["context"]
        if delta.get("citations") is not None:
            reading["in_message"] = delta["citations"]
        reading["text"] += delta.get("content") or ""
        for call in delta.get("tool_calls") or []:
            call = members(call)
            if call["index"] == len(reading["tools"]):
                reading["tools"].append({"id": call["id"], "name": call["function"]["name"], "arguments": ""})
            reading["tools"][call["index"]]["arguments"] += call["function"].get("arguments") or ""

    @property
    def unknown(self):
        """What the chunks have beside what every framework reads itself."""
        return {name: value for name, value in self.reading.items() if name not in ("text", "tools")}


def located(reading):
    """Slices the text where markers and annotations say that they stand."""
    text, citations = reading["text"], reading.get("citations")
    if isinstance(citations, dict):
        reading["marked"] = [text[m["start"] : m["end"]] for m in citations["markers"]]
    if reading.get("annotations"):
        notes = [note["url_citation"] for note in reading["annotations"]]
        reading["noted"] = [text[note["start_index"] : note["end_index"]] for note in notes]
    return reading


class Question:
    """One request: its model's name says what the model server plays, and to whom."""

    def __init__(self, model, base_url, tools):
        self.model, self.base_url, self.tools = model, base_url, tools
        self.request = REQUESTS["tools" if tools else "converted"]
        self.messages = self.request["messages"]


def scenarios(client, ways):
    """Asks every case in every format and way. What was read before an error stays."""
    found = {}
    for form in os.environ["FORMATS"].split(","):
        for case in os.environ["CASES"].split(","):
            for way, ask in ways.items():
                model = f"{case}/{form}/{client}/{way}"
                question = Question(model, f"{os.environ['HOST']}/assistants/{form}/v1", case == "tools")
                found[model] = partial(_asking, ask, question)
    return found


def _asking(ask, question):
    reader = Reader()
    try:
        result = ask(question, reader)
        return located({**reader.reading, **(result or {})})
    except Exception as error:
        body = getattr(error, "body", None)
        message = (body.get("message") if isinstance(body, dict) else None) or str(error)
        return {**reader.reading, "error": {"class": type(error).__name__, "message": message}}
