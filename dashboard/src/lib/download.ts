import { refusalOf, send } from "../api/client";

/** Saves what the API answers at an address as a file. */
export async function download(address: string, name: string): Promise<void> {
  const answer = await send(new Request(address));
  if (!answer.ok) throw refusalOf(answer, await answer.json().catch(() => undefined));
  const url = URL.createObjectURL(await answer.blob());
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
