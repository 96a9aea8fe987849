// openai-node and the formats of citations.

import { readFileSync } from "node:fs";

import { ofCompletion, scenarios } from "./reading.mjs";

const { REQUESTS, CLIENT } = process.env;
const requests = JSON.parse(readFileSync(REQUESTS));

const ways = (client) => {
  const at = ({ baseURL }) => client.withOptions({ baseURL, maxRetries: 0 }).chat.completions;
  const body = ({ model, tools }, options) => ({ ...(tools ? requests.tools : requests.converted), ...options, model });
  const stream = (options) => async (question, reader) => {
    for await (const chunk of await at(question).create({ ...body(question, options), stream: true })) {
      reader.add(chunk);
    }
  };
  const helper = (options) => async (question, reader) => {
    const runner = at(question).stream(body(question, options));
    runner.on("content", (text) => (reader.reading.text += text)); // for the case of an error
    return ofCompletion(await runner.finalChatCompletion());
  };
  return {
    create: async (question) => ofCompletion(await at(question).create(body(question))),
    stream: stream(),
    helper: helper(),
    // What a request may ask for beside.
    events: stream({ citation_options: { events: true } }),
    in_message: async (question) => ofCompletion(await at(question).create(body(question, { citation_options: { in_message: true } }))),
    in_message_helper: helper({ citation_options: { in_message: true } }),
  };
};

export default (client) => scenarios(CLIENT, ways(client));
