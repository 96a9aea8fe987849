// Light or dark, as the system has it unless the person chose.
const name = "footnote.theme";
const themes = ["", "light", "dark"] as const;
export const theme = $state({ chosen: localStorage.getItem(name) ?? "" });

export function applyTheme(): void {
  if (theme.chosen) document.documentElement.dataset["theme"] = theme.chosen;
  else delete document.documentElement.dataset["theme"];
}

/** The system's, then light, then dark, then the system's again. */
export function nextTheme(): void {
  const at = themes.findIndex((x) => x === theme.chosen);
  theme.chosen = themes[(at + 1) % themes.length] ?? "";
  localStorage.setItem(name, theme.chosen);
  applyTheme();
}
