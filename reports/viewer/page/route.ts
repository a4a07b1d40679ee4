import { useEffect, useState } from "preact/hooks";
import { routeOf, type Route } from "./addresses.ts";

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
