"""litellm's SDK with a server that is like OpenAI's."""

import os

# It looks for a newer list of prices otherwise.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

from reading import of_completion, scenarios as every

# It would print advice beside what the scripts print.
litellm.suppress_debug_info = True


def asked(question):
    return {
        **question.request,
        "model": f"openai/{question.model}",
        "api_base": question.base_url,
        "api_key": os.environ["API_KEY"],
        "max_retries": 0,
    }


def create(question, _):
    return of_completion(litellm.completion(**asked(question)))


def stream(question, reader):
    for chunk in litellm.completion(**asked(question), stream=True):
        reader.add(chunk)


def scenarios():
    return every("litellm", {"create": create, "stream": stream})
