// Uses the API with the types that openapi-typescript makes of its description.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { env: { BASE_URL: string; API_KEY: string } };
const client = createClient<paths>({ baseUrl: process.env.BASE_URL, headers: { Authorization: `Bearer ${process.env.API_KEY}` } });

function the<T>({ data, error }: { data?: T; error?: { error: { message: string } } | undefined }): T {
  if (data === undefined) throw new Error(error?.error.message ?? "no answer");
  return data;
}

const assistant = the(await client.POST("/v1.0/assistants", {
  body: { name: "Typed", settings: { enable_rag: true, upstream: "builtin:extractive" } },
}));
const settings: components["schemas"]["Settings"] = assistant.settings;
const changed = the(await client.PATCH("/v1.0/assistants/{assistant}/settings", {
  params: { path: { assistant: assistant.id } }, body: { retrieval_top_k: 3, temperature: null },
}));
const documents = the(await client.GET("/v1.0/assistants/{assistant}/documents", {
  params: { path: { assistant: assistant.slug }, query: { status: ["ready"], sort: "-name", count: true } },
}));
const events = the(await client.GET("/v1.0/audit", { params: { query: { action: ["assistant.create"], limit: 1 } } }));
const usage = the(await client.GET("/v1.0/usage", { params: { query: { by: ["assistant"], step: "day" } } }));
const refused = await client.GET("/v1.0/assistants/{assistant}", { params: { path: { assistant: "nobody" } } });

console.log(JSON.stringify({
  top_k: [settings.retrieval_top_k, changed.retrieval_top_k], documents: documents.total,
  event: events.data[0]?.target_id === assistant.id, requests: usage.total.requests, code: refused.error?.error.code,
}));
