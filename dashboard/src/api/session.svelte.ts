// The key of this browser. It lives as long as the tab, or, if the person wants that,
// until it is taken out. What a person leaves in the tab ends with the key.
const name = "footnote.key";
const ofPerson = /^footnote\.(chat\.|draft\.|uploads$)/;

// What the sign-in dialog shows and waits for.
export const signIn = $state({ open: false, refused: false });
let waiting: ((key: string) => void)[] = [];
const ends: ((goesOn: boolean) => void)[] = [];

/** Runs what drops things of a person whose key ends. goesOn: there is another key, and what was asked goes on. */
export function onSessionEnd(drop: (goesOn: boolean) => void): void {
  ends.push(drop);
}

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

function keepKey(key: string, forLong: boolean): void {
  const before = storedKey();
  forgetKey();
  (forLong ? localStorage : sessionStorage).setItem(name, key);
  if (before !== "" && before !== key) dropAll(true);
}

function forgetKey(): void {
  sessionStorage.removeItem(name);
  localStorage.removeItem(name);
}

/** Forgets the key and all that its person left in this tab, so that the next one does not see it. */
export function endSession(): void {
  forgetKey();
  dropAll(false);
}

/** Ends the session of this tab when another tab takes out or changes the key that they share. */
export function followOtherTabs(): void {
  window.addEventListener("storage", (e) => {
    const changed = e.key === null || (e.key === name && e.oldValue !== null && e.oldValue !== e.newValue);
    if (changed && sessionStorage.getItem(name) === null) dropAll(false);
  });
}

function dropAll(goesOn: boolean): void {
  for (const item of Object.keys(sessionStorage)) if (ofPerson.test(item)) sessionStorage.removeItem(item);
  for (const drop of ends) drop(goesOn);
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
