import { onSessionEnd } from "../api/session.svelte";
import type { Values } from "./settings";

const prefix = "footnote.draft.";

// Settings that were changed and not saved, by the slug of their assistant. They survive
// a look at another screen and a reload.
const drafts = $state<Record<string, Values>>(
  Object.fromEntries(Object.keys(sessionStorage).filter((item) => item.startsWith(prefix)).map((item) => [item.slice(prefix.length), JSON.parse(sessionStorage.getItem(item) ?? "{}") as Values])),
);

export function draftOf(slug: string): Values {
  return drafts[slug] ?? {};
}

export function keepDraft(slug: string, draft: Values): void {
  drafts[slug] = draft;
  if (Object.keys(draft).length > 0) sessionStorage.setItem(prefix + slug, JSON.stringify(draft));
  else sessionStorage.removeItem(prefix + slug);
}

onSessionEnd(() => {
  for (const slug of Object.keys(drafts)) drafts[slug] = {};
});
