"""What openai-python shows of answers and errors, in the form that the Go
tests read: see shown_test.go."""

import openai


def _calls(calls):
    return [{"id": c.id, "name": c.function.name, "arguments": c.function.arguments} for c in calls or []]


def _tokens(logprobs):
    return [token.token for token in (logprobs.content if logprobs else None) or []]


def _plain(items):
    """Annotations are objects on a message and dicts on a delta."""
    return [item if isinstance(item, dict) else item.to_dict() for item in items] if items else None


def _choice(choice):
    message = choice.message
    parsed = getattr(message, "parsed", None)
    return {
        "index": choice.index,
        "text": message.content or "",
        "finish_reason": choice.finish_reason,
        "tool_calls": _calls(message.tool_calls),
        "logprobs": _tokens(choice.logprobs),
        "annotations": _plain(message.annotations),
        "parsed": parsed.model_dump() if parsed is not None else None,
    }


def whole(completion):
    """What a completion shows, or the final object of a helper. Citations are
    read as an attribute, as people do."""
    return {
        "object": completion.object,
        "model": completion.model,
        "choices": [_choice(choice) for choice in completion.choices],
        "citations": getattr(completion, "citations", None),
        "usage": completion.usage.total_tokens if completion.usage else None,
    }


class Collector:
    """Puts the chunks of a stream together as people do."""

    def __init__(self):
        self.shown = {"choices": [], "chunks": 0, "citations_chunks": 0}

    def add(self, chunk):
        shown = self.shown
        shown["chunks"] += 1
        shown["object"] = chunk.object
        shown["model"] = chunk.model
        for choice in chunk.choices:
            self._add(choice)
        citations = getattr(chunk, "citations", None)
        if citations is not None:
            shown["citations_chunks"] += 1
            shown["citations"] = citations
            shown["citations_on_finish"] = bool(chunk.choices and chunk.choices[0].finish_reason)
        if chunk.usage:
            shown["usage"] = chunk.usage.total_tokens
            shown["usage_choices"] = len(chunk.choices)

    def _add(self, choice):
        choices = self.shown["choices"]
        while len(choices) <= choice.index:
            choices.append({"index": len(choices), "text": "", "tool_calls": [], "logprobs": []})
        known, delta = choices[choice.index], choice.delta
        known["text"] += delta.content or ""
        known["logprobs"] += _tokens(choice.logprobs)
        for call in delta.tool_calls or []:
            if call.index == len(known["tool_calls"]):
                known["tool_calls"].append({"id": call.id, "name": call.function.name, "arguments": ""})
            known["tool_calls"][call.index]["arguments"] += call.function.arguments or ""
        annotations = _plain(getattr(delta, "annotations", None))
        if annotations:
            known["annotations"] = known.get("annotations", []) + annotations
        if choice.finish_reason:
            known["finish_reason"] = choice.finish_reason


def failure(error):
    """What an error shows. A stream's errors have no status."""
    body = error.body if isinstance(error, openai.APIError) and isinstance(error.body, dict) else {}
    return {
        "class": type(error).__name__,
        "status": getattr(error, "status_code", None),
        "message": body.get("message") or str(error),
        "type": body.get("type"),
        "param": body.get("param"),
        "code": body.get("code"),
        "request_id": getattr(error, "request_id", None),
        "retry_after": error.response.headers.get("retry-after") if isinstance(error, openai.APIStatusError) else None,
    }
