// Scenarios on a scripted model server: each question is asked in every way
// that the SDK offers. The model's name tells the server what to play, and
// whom it plays to.

import { readFileSync } from "node:fs";

import { Collector, whole } from "./shown.mjs";

const { REQUESTS, CLIENT } = process.env;
const requests = JSON.parse(readFileSync(REQUESTS));

// Each way asks, and returns the message that a next turn would repeat beside what is shown.
const ways = (client) => ({
  create: async (body) => {
    const completion = await client.chat.completions.create(body);
    return [whole(completion), completion.choices[0].message];
  },

  stream: async (body) => {
    const stream = await client.chat.completions.create({ ...body, stream: true, stream_options: { include_usage: true } });
    const shown = await new Collector().all(stream);
    const { text, tool_calls } = shown.choices[0];
    const calls = tool_calls.map(({ id, ...call }) => ({ id, type: "function", function: call }));
    return [shown, { role: "assistant", content: text || null, tool_calls: calls }];
  },

  helper: async (body) => {
    const events = new Collector();
    const runner = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
    runner.on("chunk", (chunk) => events.add(chunk));
    const final = await runner.finalChatCompletion();
    const { citations, citations_chunks, citations_on_finish } = events.shown;
    const shown = { ...whole(final), citations, citations_chunks, citations_on_finish, final_citations: final.citations };
    return [shown, final.choices[0].message];
  },

  parse: async (body) => {
    const completion = await client.chat.completions.parse(body);
    return [whole(completion), completion.choices[0].message];
  },
});

// callTools lets the model call tools, answers the calls, and asks again.
async function callTools(ask) {
  const request = requests.tools;
  const [shown, message] = await ask("tools", request);
  const results = message.tool_calls.map(({ id }, i) => ({ role: "tool", tool_call_id: id, content: `${8 + i} days` }));
  const [answered] = await ask("tools_answered", { ...request, messages: [...request.messages, message, ...results] });
  return { ...shown, answered };
}

export default (client) => {
  const scenarios = {};
  for (const [way, asks] of Object.entries(ways(client))) {
    const ask = (name, body) => asks({ ...body, model: `${name}/${CLIENT}/${way}` });
    const only = way === "parse" ? ["question", "structured"] : ["question", "converted", "choices", "structured", "logprobs", "images"];
    for (const name of only) {
      scenarios[`${name}/${way}`] = async () => (await ask(name, requests[name]))[0];
    }
    if (way !== "parse") {
      scenarios[`tools/${way}`] = () => callTools(ask);
    }
  }
  return scenarios;
};
