"""Scenarios in which the model server is silent for a while, so that Footnote
keeps the connection alive with comments."""

import os
from functools import partial

import faults

CLIENT = os.environ["CLIENT"]


def scenarios(clients):
    found = {}
    for way in (faults.stream, faults.helper, faults.async_stream):
        for name in ("silence", "silence_error"):
            request = {"model": f"{name}/{CLIENT}/{way.__name__}", "messages": faults.MESSAGES}
            found[f"{name}/{way.__name__}"] = partial(faults.failing, way, clients, request)
    return found
