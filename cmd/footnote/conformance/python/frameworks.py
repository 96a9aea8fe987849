"""The frameworks and the formats of citations."""

import langchain_chat
import litellm_chat
import llamaindex_chat


def scenarios(_):
    return {**langchain_chat.scenarios(), **llamaindex_chat.scenarios(), **litellm_chat.scenarios()}
