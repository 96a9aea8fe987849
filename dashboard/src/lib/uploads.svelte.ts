import type { Schemas } from "../api/client";
import { storedKey } from "../api/session.svelte";

/** One file on its way to an assistant. */
export interface Upload {
  id: number;
  name: string;
  sent: number; // share, 0–1
  error: string;
  document: Schemas["Document"] | undefined;
  duplicate: boolean;
}

// The names of uploads that are running. After a reload the page says which were lost.
const pendingName = "footnote.uploads";
let last = 0;

/** The uploads of this page, the newest first. */
export const uploads = $state<Upload[]>([]);

function keepPending(): void {
  const running = uploads.filter((u) => !u.document && !u.error).map((u) => u.name);
  if (running.length > 0) sessionStorage.setItem(pendingName, JSON.stringify(running));
  else sessionStorage.removeItem(pendingName);
}

/** The names of uploads that a reload interrupted; once. */
export function lostUploads(): string[] {
  const names = JSON.parse(sessionStorage.getItem(pendingName) ?? "[]") as string[];
  if (uploads.length > 0) return [];
  sessionStorage.removeItem(pendingName);
  return names;
}

/** Uploads files one after the other, each with an idempotency key of its own. */
export async function upload(slug: string, files: File[], done: (u: Upload) => void): Promise<void> {
  const queued = files.map((file) => ({ file, at: uploads.unshift({ id: ++last, name: file.name, sent: 0, error: "", document: undefined, duplicate: false }), id: last }));
  keepPending();
  for (const { file, id } of queued) {
    const entry = uploads.find((u) => u.id === id);
    if (!entry) continue;
    await send(slug, file, entry);
    keepPending();
    done(entry);
  }
}

// fetch cannot tell how much of a body was sent.
function send(slug: string, file: File, entry: Upload): Promise<void> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", file, file.name);
    request.open("POST", `/v1.0/assistants/${encodeURIComponent(slug)}/documents`);
    request.setRequestHeader("Authorization", `Bearer ${storedKey()}`);
    request.setRequestHeader("Idempotency-Key", crypto.randomUUID());
    request.upload.onprogress = (e) => {
      if (e.lengthComputable) entry.sent = e.loaded / e.total;
    };
    request.onloadend = () => {
      read(request, entry);
      resolve();
    };
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
  entry.error = (body as { error?: { message?: string } } | undefined)?.error?.message ?? request.statusText;
  if (request.status === 0) entry.error = "unreachable";
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
