import type { Schemas } from "../api/client";
import { ago, count } from "./format";
import { t } from "./strings";

/** Something that is not well, and what can be done about it. bad: answers suffer from it now. */
export interface Trouble {
  id: string;
  bad: boolean;
  title: string;
  text?: string;
  remedy?: string;
  link?: string;
  action?: string;
}

/** All that is not well with a server, the worst first. */
export function troublesOf(status: Schemas["Status"]): Trouble[] {
  const parts = status.degraded.map((d): Trouble => ({ id: `${d.part} ${d.code}`, bad: d.part === "server", title: t.status.parts[d.part] ?? d.part, text: d.message, remedy: d.remedy }));
  const upstreams = status.upstreams.filter((u) => u.state !== "closed").map((u): Trouble => ({
    id: u.id, bad: u.state === "open", title: t.status.upstream(u.id === "default" ? t.upstreams.standard : u.name),
    text: t.upstreams.failed(u.failures, u.cause ?? "", u.failed_at ? ago(u.failed_at) : ""), link: "/upstreams", action: t.status.seeUpstreams,
  }));
  const failed = status.documents["failed"] ?? 0;
  const documents: Trouble[] = failed > 0 ? [{ id: "documents", bad: false, title: t.assistants.failed(failed), text: t.status.failedText(count(failed)), link: "/", action: t.status.seeDocuments }] : [];
  return [...parts, ...upstreams, ...documents].sort((a, b) => Number(b.bad) - Number(a.bad));
}
