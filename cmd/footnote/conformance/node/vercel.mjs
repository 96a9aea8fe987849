// The Vercel AI SDK with three of its providers. What it does not know itself
// can be read from the body that it passes on, or from raw chunks.

import { readFileSync } from "node:fs";

import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createPerplexity } from "@ai-sdk/perplexity";
import { generateText, jsonSchema, streamText, tool } from "ai";

import { Reader, ofBody, scenarios } from "./reading.mjs";

const { REQUESTS, API_KEY } = process.env;
const requests = JSON.parse(readFileSync(REQUESTS));

const tools = Object.fromEntries(
  requests.tools.tools.map(({ function: f }) => [f.name, tool({ description: f.description, inputSchema: jsonSchema(f.parameters) })]),
);

const source = ({ title, url }) => ({ title, url });
const call = ({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, arguments: JSON.stringify(input) });

const request = (model, question) => {
  const [{ content: prompt }] = (question.tools ? requests.tools : requests.converted).messages;
  return { model, prompt, maxRetries: 0, ...(question.tools && { tools }) };
};

// take reads what every stream has of a part.
const take = (part, reading) => {
  switch (part.type) {
    case "text-delta":
      reading.text += part.text;
      break;
    case "tool-call":
      reading.tools.push(call(part));
      break;
    case "error":
      throw part.error;
  }
};

// The two ways to ask for a text; model makes the provider's.
const ways = (model) => ({
  create: async (question) => {
    const { text, toolCalls, sources, response } = await generateText(request(model(question), question));
    return { ...ofBody(response.body), text, tools: toolCalls.map(call), sources: sources.map(source) };
  },

  // The parts are those that an interface gets, with sendSources.
  stream: async (question, { reading }) => {
    const { fullStream } = streamText({ ...request(model(question), question), includeRawChunks: true, onError: () => {} });
    const raw = new Reader();
    reading.sources = [];
    for await (const part of fullStream) {
      if (part.type === "raw" && part.rawValue.choices) {
        raw.add(part.rawValue); // an error's frame is raw, too
      }
      if (part.type === "source") {
        reading.sources.push(source(part));
      }
      take(part, reading);
    }
    return raw.unknown;
  },

  // What a server sends to useChat.
  ui: async (question, { reading }) => {
    const result = streamText({ ...request(model(question), question), onError: () => {} });
    reading.sources = [];
    for await (const part of result.toUIMessageStream({ sendSources: true, onError: raisedText })) {
      switch (part.type) {
        case "text-delta":
          reading.text += part.delta;
          break;
        case "tool-input-available":
          reading.tools.push(call(part));
          break;
        case "source-url":
          reading.sources.push(source(part));
          break;
        case "error":
          throw new Error(part.errorText);
      }
    }
  },
});

// raisedText is what a server tells its page of an error.
const raisedText = (error) => error.error?.message ?? error.message;

const options = ({ baseURL }) => ({ baseURL, apiKey: API_KEY });

// metadata takes what the provider leaves out of an answer or a chunk.
const metadata = ({ citations, search_results }) => ({ footnote: { citations: citations ?? null, search_results: search_results ?? null } });

const compatible = (question) =>
  createOpenAICompatible({
    ...options(question),
    name: "footnote",
    metadataExtractor: {
      extractMetadata: async ({ parsedBody }) => metadata(parsedBody),
      createStreamExtractor: () => {
        const kept = {};
        return { processChunk: (chunk) => Object.assign(kept, chunk), buildMetadata: () => metadata(kept) };
      },
    },
  })(question.model);

// extracted is what providerMetadata shows.
const extracted = (result) => {
  const { citations, search_results } = result?.footnote ?? {};
  return { citations: citations ?? undefined, search_results: search_results ?? undefined };
};

const extracting = {
  extracted: async (question) => {
    const { text, toolCalls, sources, providerMetadata } = await generateText(request(compatible(question), question));
    return { text, tools: toolCalls.map(call), sources: sources.map(source), ...extracted(providerMetadata) };
  },

  extracted_stream: async (question, { reading }) => {
    const result = streamText({ ...request(compatible(question), question), onError: () => {} });
    for await (const part of result.fullStream) {
      take(part, reading);
    }
    return extracted(await result.providerMetadata);
  },
};

export default () => ({
  ...scenarios("@ai-sdk/openai", ways((question) => createOpenAI(options(question)).chat(question.model))),
  ...scenarios("@ai-sdk/openai-compatible", { ...ways(compatible), ...extracting }),
  ...scenarios("@ai-sdk/perplexity", ways((question) => createPerplexity(options(question))(question.model))),
});
