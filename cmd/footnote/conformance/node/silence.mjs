// Scenarios in which the model server is silent for a while, so that Footnote
// keeps the connection alive with comments.

import { Collector, failure } from "./shown.mjs";

const { CLIENT } = process.env;
const messages = [{ role: "user", content: "How many vacation days do employees get per year?" }];

const ways = {
  stream: async (client, body, collector) => collector.all(await client.chat.completions.create({ ...body, stream: true })),
  helper: async (client, body, collector) => {
    const runner = client.chat.completions.stream(body);
    runner.on("chunk", (chunk) => collector.add(chunk));
    await runner.finalChatCompletion();
    return collector.shown;
  },
};

export default (client) => {
  const scenarios = {};
  for (const [way, ask] of Object.entries(ways)) {
    for (const name of ["silence", "silence_error"]) {
      scenarios[`${name}/${way}`] = async () => {
        const collector = new Collector();
        try {
          return await ask(client, { model: `${name}/${CLIENT}/${way}`, messages }, collector);
        } catch (error) {
          return { ...collector.shown, error: failure(error) };
        }
      };
    }
  }
  return scenarios;
};
