// Scenarios in which something fails: what the model server refuses, what
// Footnote refuses, what breaks off in mid-stream, and a client that leaves.

import { Collector, failure } from "./shown.mjs";

const { CLIENT, ROOT_URL, PUBLIC_URL, SEARCH_KEY, REFUSED, BROKEN } = process.env;
const messages = [{ role: "user", content: "How many vacation days do employees get per year?" }];

// Each way collects what arrives before something fails.
const ways = {
  create: async (client, body) => client.chat.completions.create(body),
  parse: async (client, body) => client.chat.completions.parse(body),
  stream: async (client, body, collector) => collector.all(await client.chat.completions.create({ ...body, stream: true })),
  helper: async (client, body, collector) => {
    const runner = client.chat.completions.stream(body);
    runner.on("chunk", (chunk) => collector.add(chunk));
    await runner.finalChatCompletion();
  },
};

async function failing(way, client, body) {
  const collector = new Collector();
  try {
    await ways[way](client, body, collector);
  } catch (error) {
    return { ...collector.shown, error: failure(error) };
  }
  return collector.shown; // no error: the test says so
}

// A stranger may not ask so often.
async function tooOften(way, client, body) {
  let shown;
  for (let i = 0; i < 100 && !shown?.error; i++) {
    shown = await failing(way, client, body);
  }
  return shown;
}

// Each way leaves after the first text.
const leaving = {
  stream: async (client, body) => {
    const collector = new Collector();
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
      collector.add(chunk);
      if (collector.shown.choices[0]?.text) {
        break; // ends the request
      }
    }
    return collector.shown;
  },

  helper: async (client, body) => {
    const collector = new Collector();
    const runner = client.chat.completions.stream(body);
    runner.on("chunk", (chunk) => collector.add(chunk));
    runner.on("content", () => runner.abort());
    try {
      await runner.done();
    } catch (error) {
      return { ...collector.shown, error: failure(error) };
    }
    return collector.shown;
  },
};

export default (client) => {
  const root = client.withOptions({ baseURL: ROOT_URL });
  const searcher = client.withOptions({ apiKey: SEARCH_KEY });
  const stranger = client.withOptions({ apiKey: "fn-not-a-key-of-this-server" });
  const anyone = client.withOptions({ baseURL: PUBLIC_URL, apiKey: "any", maxRetries: 0 });
  const scenarios = {};
  for (const way of Object.keys(ways)) {
    const model = (name) => `${name}/${CLIENT}/${way}`;
    const put = (name, using, body) => (scenarios[`${name}/${way}`] = () => failing(way, using, body));
    for (const name of [...REFUSED.split(","), ...BROKEN.split(",")]) {
      put(name, client, { model: model(name), messages });
    }
    put("bad_request", client, { model: model("bad_request"), messages: [] });
    put("wrong_key", stranger, { model: model("wrong_key"), messages });
    put("wrong_scope", searcher, { model: model("wrong_scope"), messages });
    put("unknown_model", root, { model: model("unknown_model"), messages });
    put("no_model", client, { model: "manual", messages });
    scenarios[`too_fast/${way}`] = () => tooOften(way, anyone, { model: model("too_fast"), messages });
    put("too_large", client, { model: model("too_large"), messages: [{ role: "user", content: "x".repeat(3 << 20) }] });
  }
  for (const [way, leave] of Object.entries(leaving)) {
    scenarios[`left/${way}`] = () => leave(client, { model: `left/${CLIENT}/${way}`, messages });
  }
  return scenarios;
};
