import { en } from "./strings.en";

/** All words that people see. English is the first; another language has the same members. */
export type Strings = typeof en;

// A page has one language. The other ones are not loaded.
const others: Record<string, () => Promise<Strings>> = { de: async () => (await import("./strings.de")).de };
const chosen = localStorage.getItem("footnote.language") ?? navigator.languages.map((l) => l.slice(0, 2)).find((l) => l === "en" || l in others) ?? "en";

export const locale = chosen in others ? chosen : "en";
export const t: Strings = (await others[locale]?.()) ?? en;
document.documentElement.lang = locale;

export function chooseLanguage(language: string): void {
  localStorage.setItem("footnote.language", language);
  location.reload();
}
