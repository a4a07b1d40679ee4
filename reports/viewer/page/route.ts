import { useEffect, useState } from "preact/hooks";

/** Which page, and what it shows. */
export type Route =
  | { readonly page: "jobs" }
  | { readonly page: "job"; readonly at: string }
  | { readonly page: "task"; readonly at: string; readonly task: string }
  | { readonly page: "run"; readonly at: string; readonly seq: number | undefined }
  | { readonly page: "diff"; readonly a: string; readonly b: string }
  | { readonly page: "blast"; readonly at: string }
  | { readonly page: "nowhere" };

export function routeOf(pathname: string, search: string): Route {
  const [, kind = "", rest = ""] = /^\/([a-z]*)\/?(.*?)\/?$/s.exec(pathname) ?? [];
  const query = new URLSearchParams(search);
  const given = (name: string): string => query.get(name) ?? "";
  const place = decoded(rest);
  if (place === undefined) return { page: "nowhere" };
  switch (kind) {
    case "":
      return { page: "jobs" };
    case "job":
      return { page: "job", at: place };
    case "task":
      return { page: "task", at: place, task: given("name") };
    case "run": {
      const [, at = place, seq] = /^(.*):(\d+)$/s.exec(place) ?? [];
      return { page: "run", at, seq: seq === undefined ? undefined : Number(seq) };
    }
    case "diff":
      return { page: "diff", a: given("a"), b: given("b") };
    case "blast":
      return { page: "blast", at: given("at") };
    default:
      return { page: "nowhere" };
  }
}

/** Undefined for what is no address. */
function decoded(path: string): string | undefined {
  try {
    return path.split("/").map(decodeURIComponent).join("/");
  } catch {
    return undefined;
  }
}

const steps = (place: string): string => place.split("/").map((step) => encodeURIComponent(step.toWellFormed())).join("/"); // prettier-ignore

/** Addresses of pages. */
export const jobAt = (place: string): string => `/job/${steps(place)}`;
export const runAt = (place: string, seq?: number): string => `/run/${steps(place)}${seq === undefined ? "" : `:${seq}`}`;
export const taskAt = (job: string, task: string): string => `/task/${steps(job)}?${new URLSearchParams({ name: task }).toString()}`;
export const diffAt = (a: string, b: string): string => `/diff?${new URLSearchParams({ a, b }).toString()}`;
export const blastAt = (at: string): string => `/blast?${new URLSearchParams({ at }).toString()}`;

const moved = "forge-moved";

/** To another page, as a link does. */
export function go(address: string): void {
  history.pushState(null, "", address);
  dispatchEvent(new Event(moved));
  scrollTo(0, 0);
}

/** Puts what is shown into the address, without a step in the history. */
export function rename(address: string): void {
  history.replaceState(history.state, "", address);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.pathname, location.search));
  useEffect(() => {
    const update = (): void => setRoute(routeOf(location.pathname, location.search));
    addEventListener("popstate", update);
    addEventListener(moved, update);
    return () => {
      removeEventListener("popstate", update);
      removeEventListener(moved, update);
    };
  }, []);
  return route;
}

/** Links within the viewer change the page without loading it; one that begins with `#` leads to a part of it. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin) return;
  event.preventDefault();
  const href = link.getAttribute("href") ?? "";
  if (href.startsWith("#")) document.getElementById(href.slice(1))?.scrollIntoView();
  else go(link.pathname + link.search);
}
