// The key of this browser. It lives as long as the tab, or, if the person wants that,
// until it is taken out.
const name = "footnote.key";

// What the sign-in dialog shows and waits for.
export const signIn = $state({ open: false, refused: false });
let waiting: ((key: string) => void)[] = [];

/** The link that the first start prints has the key in its fragment, which no server sees. */
export function takeKeyFromAddress(): void {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key === null) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  keepKey(key, false);
}

export function storedKey(): string {
  return sessionStorage.getItem(name) ?? localStorage.getItem(name) ?? "";
}

export function keepKey(key: string, forLong: boolean): void {
  forgetKey();
  (forLong ? localStorage : sessionStorage).setItem(name, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(name);
  localStorage.removeItem(name);
}

/** Asks the person for a key. All requests that were refused meanwhile wait for the one answer. */
export function askForKey(refused: boolean): Promise<string> {
  signIn.open = true;
  signIn.refused = refused;
  return new Promise((resolve) => waiting.push(resolve));
}

export function answerWithKey(key: string, forLong: boolean): void {
  keepKey(key.trim(), forLong);
  signIn.open = false;
  const asked = waiting;
  waiting = [];
  for (const resolve of asked) resolve(key.trim());
}
