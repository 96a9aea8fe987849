// Where the person is. The address holds all that one would share, so that Back works.
export const route = $state({ path: location.pathname, search: location.search });

function follow(): void {
  route.path = location.pathname;
  route.search = location.search;
}

/** The parts of an address. One that cannot be decoded names nothing. */
export function partsOf(path: string): string[] {
  try {
    return path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return [path];
  }
}

/** Goes to an address of the dashboard. */
export function go(address: string, replace = false): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  follow();
  if (!replace) window.scrollTo(0, 0);
}

/** A value of the address' query. */
export function inQuery(name: string): string | undefined {
  return new URLSearchParams(route.search).get(name) ?? undefined;
}

/** Changes the address' query in place; undefined takes a name out. */
export function setQuery(values: Record<string, string | undefined>, replace = true): void {
  const query = new URLSearchParams(route.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  const address = route.path + (text ? `?${text}` : "");
  if (address !== route.path + route.search) go(address, replace);
}

/** Follows links to the dashboard without loading the page again. */
export function interceptLinks(): () => void {
  const onClick = (e: MouseEvent): void => {
    const link = e.target instanceof Element ? e.target.closest("a") : null;
    if (!link || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    const url = new URL(link.href, location.href);
    if (link.target || link.hasAttribute("download") || url.origin !== location.origin || url.pathname.startsWith("/v1")) return;
    e.preventDefault();
    go(url.pathname + url.search);
  };
  window.addEventListener("popstate", follow);
  document.addEventListener("click", onClick);
  return () => {
    window.removeEventListener("popstate", follow);
    document.removeEventListener("click", onClick);
  };
}
