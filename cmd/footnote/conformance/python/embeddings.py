"""Scenarios on the built-in embedder. Without encoding_format the SDK asks for
base64 and decodes it."""

import os

MODEL = os.environ.get("MODEL")
TEXTS = ["A man is eating food.", "The chef cooked dinner for guests."]


def scenarios(clients):
    def embed(**body):
        answer = clients.plain.embeddings.create(model=MODEL, **body)
        return {
            "model": answer.model,
            "vectors": [list(item.embedding) for item in answer.data],
            "tokens": answer.usage.total_tokens,
        }

    return {
        "by_default": lambda: embed(input=TEXTS),
        "float": lambda: embed(input=TEXTS, encoding_format="float", dimensions=384),
        "one": lambda: embed(input=TEXTS[0]),
        "tokens": lambda: embed(input=[[1, 2, 3]]),
    }
