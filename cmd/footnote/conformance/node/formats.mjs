// openai-node and the formats of citations.

import { readFileSync } from "node:fs";

import { ofCompletion, scenarios } from "./reading.mjs";

const { REQUESTS, CLIENT } = process.env;
const requests = JSON.parse(readFileSync(REQUESTS));

const ways = (client) => {
  const at = ({ baseURL }) => client.withOptions({ baseURL, maxRetries: 0 }).chat.completions;
  const body = ({ model, tools }) => ({ ...(tools ? requests.tools : requests.converted), model });
  const stream = async (question, reader) => {
    for await (const chunk of await at(question).create({ ...body(question), stream: true })) {
      reader.add(chunk);
    }
  };
  const helper = async (question, reader) => {
    const runner = at(question).stream(body(question));
    runner.on("content", (text) => (reader.reading.text += text)); // for the case of an error
    return ofCompletion(await runner.finalChatCompletion());
  };
  return {
    create: async (question) => ofCompletion(await at(question).create(body(question))),
    stream,
    helper,
  };
};

export default (client) => scenarios(CLIENT, ways(client));
