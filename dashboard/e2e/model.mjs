// A model server whose answers the test writes. It gives them in a stream, word by word.
import http from "node:http";
import { ask, assistant } from "./browser.mjs";

/** An assistant whose model says what `model.says`. With `model.holds` the answer never ends. */
export async function scripted(t, name, documents, settings = {}) {
  const model = { says: "", holds: false };
  const open = new Set();
  const server = http.createServer((request, response) => {
    request.resume();
    if (request.method === "GET") return response.setHeader("Content-Type", "application/json").end('{"object":"list","data":[{"id":"m","object":"model"}]}');
    open.add(response);
    response.setHeader("Content-Type", "text/event-stream");
    const frame = (delta, finish) => response.write(`data: ${JSON.stringify({ id: "a", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    for (const word of model.says.split(/(?<= )/)) frame({ content: word }, null);
    if (model.holds) return undefined;
    frame({}, "stop");
    return response.end("data: [DONE]\n\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const upstream = await ask("POST", "/v1.0/upstreams", { name: `${name} model`, base_url: `http://127.0.0.1:${server.address().port}/v1`, default_model: "m" });
  const { slug } = await assistant(name, documents);
  await ask("PATCH", `/v1.0/assistants/${slug}/settings`, { upstream: upstream.id, store_history: true, ...settings });
  t.after(async () => {
    for (const response of open) response.destroy();
    server.close();
    await ask("PATCH", `/v1.0/assistants/${slug}/settings`, { upstream: "builtin:extractive" });
    await ask("DELETE", `/v1.0/upstreams/${upstream.id}`);
  });
  return { slug, model };
}
