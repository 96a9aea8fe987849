import type { Schemas } from "../api/client";

export type Event = Schemas["AuditEvent"];
export type Action = Schemas["AuditAction"];
export type Result = Schemas["AuditResult"];

// The compiler refuses this list when the API gets an action that it lacks.
const known: Record<Action, true> = {
  chat: true, search: true, check: true, "assistant.create": true, "assistant.update": true, "assistant.delete": true, "settings.update": true, "document.upload": true, "document.replace": true,
  "document.update": true, "document.move": true, "document.reprocess": true, "document.delete": true, "documents.bulk": true, "collection.create": true, "collection.update": true,
  "collection.reprocess": true, "collection.delete": true, "upstream.create": true, "upstream.update": true, "upstream.delete": true, "key.create": true, "key.update": true, "key.revoke": true,
  "eval_question.create": true, "eval_question.update": true, "eval_question.delete": true, "eval_questions.import": true, "eval_run.create": true, "eval_run.delete": true, "history.delete": true,
  "feedback.update": true, "feedback.delete": true, "verification.update": true, "verification.delete": true, "audit.gap": true,
};
export const actions = Object.keys(known) as Action[];
export const results: readonly Result[] = ["ok", "refused", "interrupted", "failed", "unknown"];

/** The filters of the audit log, as the address has them. */
export const filterNames = ["action", "result", "key", "assistant", "from", "to"] as const;
export type Filters = Partial<Record<(typeof filterNames)[number], string>>;

export interface Query {
  action?: Action[];
  result?: Result;
  key_id?: string;
  assistant_id?: string;
  from?: string;
  to?: string;
}

/** What the API is asked for filters. A wrong one is sent as it is: the server says what it lacks. */
export function queryOf(f: Filters): Query {
  return {
    ...(f.action ? { action: [f.action as Action] } : {}), ...(f.result ? { result: f.result as Result } : {}), ...(f.key ? { key_id: f.key } : {}),
    ...(f.assistant ? { assistant_id: f.assistant } : {}), ...(f.from ? { from: f.from } : {}), ...(f.to ? { to: f.to } : {}),
  };
}

/** Where all events that the filters select are a table. */
export function csvAddress(query: Query): string {
  const values = Object.entries(query).flatMap(([name, value]) => [value].flat().map((v): [string, string] => [name, String(v)]));
  return `/v1.0/audit.csv?${new URLSearchParams(values).toString()}`;
}

/** A time of the API as the value of a field for local times, and back. "" is none. */
export function localTime(iso: string | undefined): string {
  const time = new Date(iso ?? "");
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function utcTime(local: string): string | undefined {
  const time = new Date(local);
  return local && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined;
}
