// LlamaIndex for TypeScript.

import { readFileSync } from "node:fs";

import { OpenAI } from "@llamaindex/openai";

import { Reader, ofBody, scenarios } from "./reading.mjs";

const { REQUESTS, API_KEY } = process.env;
const requests = JSON.parse(readFileSync(REQUESTS));

const tools = requests.tools.tools.map(({ function: metadata }) => ({ metadata }));
const llm = ({ model, baseURL }) => new OpenAI({ model, baseURL, apiKey: API_KEY, maxRetries: 0 });
const chat = (question) => ({
  messages: (question.tools ? requests.tools : requests.converted).messages,
  ...(question.tools && { tools }),
});
const call = ({ id, name, input }) => ({ id, name, arguments: typeof input === "string" ? input : JSON.stringify(input) });

const ways = {
  create: async (question) => {
    const { message, raw } = await llm(question).chat(chat(question));
    return { ...ofBody(raw), text: message.content, tools: (message.options?.toolCall ?? []).map(call) };
  },

  stream: async (question, { reading }) => {
    const raw = new Reader();
    const known = new Map();
    for await (const part of await llm(question).chat({ ...chat(question), stream: true })) {
      reading.text += part.delta;
      raw.add(part.raw);
      for (const one of part.options?.toolCall ?? []) {
        known.set(one.id, one); // it is repeated as it grows
      }
    }
    return { ...raw.unknown, tools: [...known.values()].map(call) };
  },
};

export default () => scenarios("LlamaIndex TS", ways);
