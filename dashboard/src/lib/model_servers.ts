import { ask, chatBody } from "../api/chat";
import { all, api, the } from "../api/client";
import { unique } from "./unique";
import type { Upstream } from "./upstreams";

/** All stored model servers. */
export async function listUpstreams(signal?: AbortSignal): Promise<Upstream[]> {
  return all((cursor) => the(api.GET("/v1.0/upstreams", { params: { query: { limit: 1000, ...(cursor ? { cursor } : {}) } }, ...(signal ? { signal } : {}) })));
}

/** A name like this one that no stored server has. */
export async function freeName(wanted: string): Promise<string> {
  const taken = new Set((await listUpstreams()).map((u) => u.name.toLowerCase()));
  let name = wanted;
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wanted} ${n}`;
  return name;
}

/** What a server answers through an assistant to a small question that is not stored. */
export async function answerOf(slug: string, upstream: string): Promise<string> {
  let said = "";
  const body = chatBody(slug, [{ role: "user", content: "Say hello." }], { settings: { upstream, model: null, upstream_fallbacks: [], enable_rag: false, enable_citations: false } });
  const nothing = (): void => undefined;
  await ask(slug, body, { thread: unique(), trial: true }, AbortSignal.timeout(120_000), { text: (piece) => { said += piece; }, marker: nothing, end: nothing, debug: nothing, frame: nothing });
  return said.trim();
}
