"""LangChain: as it is, and with a subclass that keeps what it drops."""

import json
import os

from langchain_openai import ChatOpenAI

from reading import members, scenarios as every


class ChatFootnote(ChatOpenAI):
    """Keeps what stands beside the choices in additional_kwargs."""

    def _create_chat_result(self, response, generation_info=None):
        result = super()._create_chat_result(response, generation_info)
        keep(result.generations[0], members(response))
        return result

    def _convert_chunk_to_generation_chunk(self, chunk, *rest):
        generation = super()._convert_chunk_to_generation_chunk(chunk, *rest)
        # Only of the last: LangChain would add up what several chunks have.
        if generation is not None and any(choice.get("finish_reason") for choice in chunk.get("choices", [])):
            keep(generation, chunk)
        return generation


def keep(generation, body):
    kept = {name: body[name] for name in ("citations", "search_results") if body.get(name) is not None}
    generation.message.additional_kwargs.update(kept)


def chat(kind, question):
    model = kind(model=question.model, base_url=question.base_url, api_key=os.environ["API_KEY"], max_retries=0)
    return model.bind_tools(question.request["tools"]) if question.tools else model


def calls(message):
    return [{"id": c["id"], "name": c["name"], "arguments": json.dumps(c["args"])} for c in message.tool_calls]


def shown(message):
    kept = {name: message.additional_kwargs.get(name) for name in ("citations", "search_results")}
    return {"tools": calls(message), **kept}


def ways(kind):
    def invoke(question, _):
        message = chat(kind, question).invoke(question.messages)
        return {"text": message.text, **shown(message)}

    def stream(question, reader):
        whole = None
        for chunk in chat(kind, question).stream(question.messages):
            reader.reading["text"] += chunk.text
            whole = chunk if whole is None else whole + chunk
        return shown(whole)

    return invoke, stream


def scenarios():
    create, stream = ways(ChatOpenAI)
    kept, kept_stream = ways(ChatFootnote)
    return every("LangChain Python", {"create": create, "stream": stream, "subclass": kept, "subclass_stream": kept_stream})
