// LangChain for JavaScript.

import { readFileSync } from "node:fs";

import { ChatOpenAI } from "@langchain/openai";

import { Reader, ofBody, scenarios } from "./reading.mjs";

const { REQUESTS, API_KEY } = process.env;
const requests = JSON.parse(readFileSync(REQUESTS));

const chat = ({ model, baseURL, tools }, options) => {
  const llm = new ChatOpenAI({ model, apiKey: API_KEY, configuration: { baseURL }, maxRetries: 0, ...options });
  return tools ? llm.bindTools(requests.tools.tools) : llm;
};
const prompt = ({ tools }) => (tools ? requests.tools : requests.converted).messages;
const calls = (message) => (message.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, arguments: JSON.stringify(args) }));

const whole = (options) => async (question) => {
  const message = await chat(question, options).invoke(prompt(question));
  const raw = message.additional_kwargs.__raw_response;
  return { ...(raw && ofBody(raw)), text: message.text, tools: calls(message) };
};

const streamed = (options) => async (question, { reading }) => {
  const raw = new Reader();
  let all;
  for await (const chunk of await chat(question, options).stream(prompt(question))) {
    reading.text += chunk.text;
    if (chunk.additional_kwargs.__raw_response) {
      raw.add(chunk.additional_kwargs.__raw_response);
    }
    all = all?.concat(chunk) ?? chunk;
  }
  return { ...raw.unknown, tools: calls(all) };
};

const raw = { __includeRawResponse: true };

export default () =>
  scenarios("LangChain JS", { create: whole(), stream: streamed(), raw: whole(raw), raw_stream: streamed(raw) });
