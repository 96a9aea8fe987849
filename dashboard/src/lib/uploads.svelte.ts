import type { Schemas } from "../api/client";
import { askForKey, storedKey } from "../api/session.svelte";
import { connection, isReachable, reconnected } from "./events.svelte";
import { t } from "./strings";
import { unique } from "./unique";

/** One file on its way to an assistant. */
export interface Upload {
  id: string;
  slug: string;
  name: string;
  sent: number; // share, 0–1
  waiting: boolean; // for the connection
  error: string;
  document: Schemas["Document"] | undefined;
  duplicate: boolean;
}

// The uploads that are running, by id. After a reload the page says which were lost. A tab
// that is made from this one gets a copy, so it asks the other tabs which they have.
const pendingName = "footnote.uploads";
const tabs = new BroadcastChannel("footnote.uploads");
const answerTime = 1000; // milliseconds for other tabs to answer in, also those of a busy machine
const attempts = 3; // while the server answers everything else

/** The uploads of this page, the newest first. */
export const uploads = $state<Upload[]>([]);

function running(): Record<string, string> {
  return Object.fromEntries(uploads.filter((u) => !u.document && !u.error).map((u) => [u.id, u.name]));
}

function keepPending(): void {
  const names = running();
  if (Object.keys(names).length > 0) sessionStorage.setItem(pendingName, JSON.stringify(names));
  else sessionStorage.removeItem(pendingName);
}

tabs.onmessage = ({ data }: MessageEvent<{ asks?: string[]; has?: string[] }>) => {
  const has = (data.asks ?? []).filter((id) => id in running());
  if (has.length > 0) tabs.postMessage({ has });
};

/** Why a file was not added; "" if it was, or is on its way. */
export function whyNot(u: Upload): string {
  if (u.error === "unreachable") return t.problem.unreachable;
  return u.error || (u.duplicate ? t.documents.duplicate : "");
}

/** Forgets the files of an assistant that were not added. */
export function forgetRefused(slug: string): void {
  for (let i = uploads.length - 1; i >= 0; i--) {
    const u = uploads[i];
    if (u?.slug === slug && whyNot(u)) uploads.splice(i, 1);
  }
}

let asked = false; // which uploads were lost

/** The names of uploads that a reload interrupted; once. */
export async function lostUploads(): Promise<string[]> {
  const names = JSON.parse(sessionStorage.getItem(pendingName) ?? "{}") as Record<string, string>;
  if (asked || uploads.length > 0 || Object.keys(names).length === 0) return [];
  asked = true;
  const elsewhere = new Set<string>();
  const hear = ({ data }: MessageEvent<{ has?: string[] }>): void => { for (const id of data.has ?? []) elsewhere.add(id); };
  tabs.addEventListener("message", hear);
  tabs.postMessage({ asks: Object.keys(names) });
  await new Promise((resolve) => setTimeout(resolve, answerTime));
  tabs.removeEventListener("message", hear);
  keepPending(); // what was lost is known now; a reload before would ask again
  return Object.entries(names).filter(([id]) => !elsewhere.has(id)).map(([, name]) => name);
}

/** Uploads files one after the other, each with an idempotency key of its own. */
export async function upload(slug: string, files: File[], done: (u: Upload) => void): Promise<void> {
  const queued = files.map((file) => ({ file, id: unique() }));
  for (const { file, id } of queued) uploads.unshift({ id, slug, name: file.name, sent: 0, waiting: false, error: "", document: undefined, duplicate: false });
  keepPending();
  for (const { file, id } of queued) {
    const entry = uploads.find((u) => u.id === id);
    if (!entry) continue;
    await deliver(slug, file, entry);
    keepPending();
    done(entry);
  }
}

// The id of the upload is its idempotency key, so an attempt whose answer was lost does
// not make a second document.
async function deliver(slug: string, file: File, entry: Upload): Promise<void> {
  for (let failures = 0; failures < attempts; ) {
    const key = storedKey();
    const request = await send(slug, file, entry);
    if (request.status === 401) {
      if (storedKey() === key) await askForKey(key !== "");
      continue;
    }
    if (request.status !== 0) {
      read(request, entry);
      return;
    }
    if (await isReachable()) failures++;
    else {
      connection.lost = true;
      entry.waiting = true;
      await reconnected();
      entry.waiting = false;
    }
  }
  entry.error = "unreachable"; // the file cannot be read any more, or something between cuts it
}

// fetch cannot tell how much of a body was sent.
function send(slug: string, file: File, entry: Upload): Promise<XMLHttpRequest> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", file, file.name);
    request.open("POST", `/v1.0/assistants/${encodeURIComponent(slug)}/documents`);
    request.setRequestHeader("Authorization", `Bearer ${storedKey()}`);
    request.setRequestHeader("Idempotency-Key", entry.id);
    request.upload.onprogress = (e) => {
      if (e.lengthComputable) entry.sent = e.loaded / e.total;
    };
    request.onloadend = () => { resolve(request); };
    request.send(form);
  });
}

function read(request: XMLHttpRequest, entry: Upload): void {
  let body: unknown;
  try {
    body = JSON.parse(request.responseText);
  } catch {
    body = undefined; // an answer of something between us and the server
  }
  if (request.status === 200 || request.status === 202) {
    entry.sent = 1;
    entry.document = body as Schemas["Document"];
    entry.duplicate = entry.document.duplicate ?? false;
    return;
  }
  entry.error = (body as { error?: { message?: string } } | undefined)?.error?.message || request.statusText || t.problem.failed;
}

/** The files that were dropped, also those in folders. */
export async function filesOf(transfer: DataTransfer): Promise<File[]> {
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((e) => e !== null);
  const files = await Promise.all(entries.map(filesIn));
  return files.flat().filter((f) => !f.name.startsWith("."));
}

async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return [await new Promise<File>((resolve, reject) => { (entry as FileSystemFileEntry).file(resolve, reject); })];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (batch.length === 0) return found;
    for (const inner of batch) found.push(...(await filesIn(inner)));
  }
}
