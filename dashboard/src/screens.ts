/** The screens. Each is loaded when it is first opened, so that a start loads no other. */
export const screens = {
  assistants: () => import("./screens/Assistants.svelte"),
  welcome: () => import("./screens/Welcome.svelte"),
  search: () => import("./screens/search/Search.svelte"),
  document: () => import("./screens/DocumentPage.svelte"),
  keys: () => import("./screens/keys/Keys.svelte"),
  upstreams: () => import("./screens/upstreams/Upstreams.svelte"),
  audit: () => import("./screens/audit/Audit.svelte"),
  status: () => import("./screens/status/Status.svelte"),
  chat: () => import("./screens/chat/Chat.svelte"),
  documents: () => import("./screens/documents/Documents.svelte"),
  settings: () => import("./screens/settings/Settings.svelte"),
  connect: () => import("./screens/Connect.svelte"),
  history: () => import("./screens/history/History.svelte"),
  eval: () => import("./screens/eval/Eval.svelte"),
};

export type Screen = keyof typeof screens;

const ofServer: readonly string[] = ["welcome", "search", "keys", "upstreams", "audit", "status"] satisfies Screen[];
const ofAssistant: readonly string[] = ["chat", "documents", "settings", "connect", "history", "eval"] satisfies Screen[];

/** The screen of an address, whose parts are given. undefined: there is none. */
export function screenAt(parts: readonly string[]): Screen | undefined {
  const [first = "", second, third = ""] = parts;
  if (first === "") return "assistants";
  if (first === "documents" && second) return "document";
  if (first === "a" && ofAssistant.includes(third)) return third as Screen;
  return parts.length === 1 && ofServer.includes(first) ? (first as Screen) : undefined;
}
