"""Drives Footnote with the OpenAI SDK for Python: runs every scenario of the
suite that its argument names, all at once, and prints what the SDK shows as one
line of JSON. The Go tests beside this folder start it and judge.

Environment: BASE_URL, API_KEY, and what the suites read.
"""

import importlib
import json
import os
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

from clients import Clients
from shown import failure


def run(scenario):
    try:
        return scenario()
    except Exception as error:
        return {"error": {**failure(error), "stack": traceback.format_exc()}}


if __name__ == "__main__":
    clients = Clients(os.environ["BASE_URL"], os.environ["API_KEY"])
    scenarios = importlib.import_module(sys.argv[1]).scenarios(clients)
    with ThreadPoolExecutor(max_workers=64) as pool:
        results = dict(zip(scenarios, pool.map(run, scenarios.values())))
    print(json.dumps(results))
