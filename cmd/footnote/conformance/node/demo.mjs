// Scenarios on the demo, which answers without a model.

import { Collector, failure, whole } from "./shown.mjs";

const { MODEL, QUESTION, ASSISTANT_URL } = process.env;
const asking = (question, model = MODEL) => ({ model, messages: [{ role: "user", content: question }] });
const request = asking(QUESTION);
const nothing = asking("Who composed the opera Turandot?");

const stream = async (client, body) => new Collector().all(await client.chat.completions.create({ ...body, stream: true }));

const create = async (client, body) => whole(await client.chat.completions.create(body));

async function helper(client, body) {
  const runner = client.chat.completions.stream(body);
  let text = "";
  runner.on("content", (delta) => (text += delta));
  return { ...whole(await runner.finalChatCompletion()), text_of_events: text };
}

async function failing(call) {
  try {
    await call();
  } catch (error) {
    return { error: failure(error) };
  }
  return {};
}

export default (client) => {
  // The assistant in the base URL: the client keeps its own idea of a model.
  const inURL = client.withOptions({ baseURL: ASSISTANT_URL });
  // The demo is public; SDKs insist on sending some key.
  const anyone = client.withOptions({ apiKey: "any" });
  const stranger = client.withOptions({ apiKey: "fn-not-a-key-of-this-server" });
  return {
    create: () => create(anyone, request),
    stream: () => stream(anyone, request),
    stream_usage: () => stream(client, { ...request, stream_options: { include_usage: true } }),
    helper: () => helper(client, request),

    response: async () => {
      const { data, response, request_id } = await client.chat.completions.create(request).withResponse();
      return {
        ...whole(data),
        request_id,
        assistant_header: response.headers.get("x-footnote-assistant"),
        citations_header: response.headers.get("x-footnote-citations"),
      };
    },

    create_about_nothing: () => create(client, nothing),
    stream_about_nothing: () => stream(client, nothing),
    helper_about_nothing: () => helper(client, nothing),

    create_in_url: () => create(inURL, asking(QUESTION, "gpt-4o")),
    stream_in_url: () => stream(inURL, asking(QUESTION, "gpt-4o")),

    models: async () => {
      const ids = [];
      for await (const model of client.models.list()) {
        ids.push(model.id);
      }
      return { models: { ids, one: await client.models.retrieve(MODEL) } };
    },

    unknown_model: () => failing(() => create(client, { ...request, model: "no-such-assistant" })),
    unknown_model_streamed: () => failing(() => stream(client, { ...request, model: "no-such-assistant" })),
    unknown_model_retrieved: () => failing(() => client.models.retrieve("no-such-assistant")),
    no_messages: () => failing(() => create(client, { model: MODEL })),
    wrong_key: () => failing(() => create(stranger, request)),
  };
};
