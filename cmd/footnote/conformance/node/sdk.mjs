// Drives Footnote with the OpenAI SDK for Node.js and prints what the SDK
// shows as one line of JSON. The Go tests beside this folder start it, with
// the name of a scenario as its argument, and judge the result.
//
// Environment: BASE_URL, API_KEY, MODEL, QUESTION.

import OpenAI from "openai";

const { BASE_URL, API_KEY, MODEL, QUESTION } = process.env;
const client = new OpenAI({ baseURL: BASE_URL, apiKey: API_KEY, maxRetries: 0, timeout: 60_000 });
const request = { model: MODEL, messages: [{ role: "user", content: QUESTION }] };

// whole is what a completion, or a final snapshot of the stream helper, shows.
const whole = (completion) => ({
  object: completion.object,
  model: completion.model,
  choices: completion.choices.length,
  text: completion.choices[0].message.content,
  finish_reason: completion.choices[0].finish_reason,
  citations: completion.citations,
});

// collect is what a loop over the chunks of a stream shows. It reads chunks as
// people do, so that a chunk without choices would end it.
async function collect(stream) {
  const seen = { text: "", chunks: 0, deltas: 0, finishes: 0, citations_chunks: 0 };
  for await (const chunk of stream) {
    seen.chunks++;
    seen.object = chunk.object;
    seen.model = chunk.model;
    const choice = chunk.choices[0];
    if (choice?.delta.content) {
      seen.text += choice.delta.content;
      seen.deltas++;
    }
    if (chunk.citations !== undefined) {
      seen.citations_chunks++;
      seen.citations = chunk.citations;
      seen.citations_on_finish = Boolean(choice?.finish_reason);
    }
    if (choice?.finish_reason) {
      seen.finishes++;
      seen.finish_reason = choice.finish_reason;
    }
    if (chunk.usage) {
      seen.usage_choices = chunk.choices.length;
    }
  }
  return seen;
}

async function failure(call) {
  try {
    await call();
  } catch (error) {
    return {
      class: error.constructor.name,
      status: error.status,
      message: error.error?.message,
      type: error.type,
      param: error.param ?? null,
      code: error.code,
      request_id: error.requestID,
    };
  }
  return { class: "none" };
}

const scenarios = {
  create: async () => whole(await client.chat.completions.create(request)),

  response: async () => {
    const { data, response, request_id } = await client.chat.completions.create(request).withResponse();
    return {
      ...whole(data),
      request_id,
      assistant_header: response.headers.get("x-footnote-assistant"),
      citations_header: response.headers.get("x-footnote-citations"),
    };
  },

  stream: async () => collect(await client.chat.completions.create({ ...request, stream: true })),

  stream_usage: async () =>
    collect(await client.chat.completions.create({ ...request, stream: true, stream_options: { include_usage: true } })),

  helper: async () => {
    const runner = client.chat.completions.stream(request);
    let text = "";
    runner.on("content", (delta) => (text += delta));
    return { ...whole(await runner.finalChatCompletion()), text_of_events: text };
  },

  models: async () => {
    const ids = [];
    for await (const model of client.models.list()) {
      ids.push(model.id);
    }
    return { ids, one: await client.models.retrieve(MODEL) };
  },

  errors: async () => ({
    unknown_model: await failure(() => client.chat.completions.create({ ...request, model: "no-such-assistant" })),
    unknown_model_streamed: await failure(() =>
      client.chat.completions.create({ ...request, model: "no-such-assistant", stream: true }),
    ),
    unknown_model_retrieved: await failure(() => client.models.retrieve("no-such-assistant")),
    no_messages: await failure(() => client.chat.completions.create({ model: MODEL })),
    wrong_key: await failure(() =>
      client.withOptions({ apiKey: "fn-not-a-key-of-this-server" }).chat.completions.create(request),
    ),
  }),
};

console.log(JSON.stringify(await scenarios[process.argv[2]]()));
