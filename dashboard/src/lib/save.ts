import { refusalOf, send } from "../api/client";

/** Saves what a path of the API answers as a file of the person. */
export async function save(path: string, name: string): Promise<void> {
  const answer = await send(new Request(path));
  if (!answer.ok) throw refusalOf(answer, await answer.json().catch(() => undefined));
  const url = URL.createObjectURL(await answer.blob());
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
