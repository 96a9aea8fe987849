"""LlamaIndex with a server that is like OpenAI's."""

import os

from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike

from reading import Reader, of_body, scenarios as every


def chat(question):
    return OpenAILike(
        model=question.model,
        api_base=question.base_url,
        api_key=os.environ["API_KEY"],
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
    )


def asked(question):
    messages = [ChatMessage(**message) for message in question.messages]
    return {"messages": messages, **({"tools": question.request["tools"]} if question.tools else {})}


def calls(message):
    found = message.additional_kwargs.get("tool_calls") or []
    return [{"id": c.id, "name": c.function.name, "arguments": c.function.arguments} for c in found]


def create(question, _):
    answer = chat(question).chat(**asked(question))
    return {**of_body(answer.raw), "text": answer.message.content or "", "tools": calls(answer.message)}


def stream(question, reader):
    raw, answer = Reader(), None
    for answer in chat(question).stream_chat(**asked(question)):
        reader.reading["text"] += answer.delta or ""
        raw.add(answer.raw)
    return {**raw.unknown, "tools": calls(answer.message)}


def scenarios():
    return every("LlamaIndex Python", {"create": create, "stream": stream})
