import { useEffect, useRef } from "preact/hooks";

/** What a key does on a page, in words for the list of keys. */
export interface KeyAction {
  readonly keys: readonly string[];
  readonly says: string;
  readonly act: () => void;
}

const pages = new Set<{ readonly current: readonly KeyAction[] }>();

/** Keys of the page that is shown; they rest while someone types. */
export function useKeys(actions: readonly KeyAction[]): void {
  const held = useRef(actions);
  held.current = actions;
  useEffect(() => {
    pages.add(held);
    return () => void pages.delete(held);
  }, []);
}

/** All keys that do something now. */
export const knownKeys = (): readonly KeyAction[] => [...pages].flatMap(({ current }) => current);

export function pressKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  if (target instanceof HTMLElement && isTyping(target)) {
    if (event.key === "Escape") target.blur();
    return;
  }
  // Enter and the space bar belong to what has the focus
  if ((event.key === "Enter" || event.key === " ") && target instanceof HTMLElement && target.closest("a, button, summary")) return;
  const action = knownKeys().findLast(({ keys }) => keys.includes(event.key));
  if (!action) return;
  event.preventDefault();
  action.act();
}

const isTyping = (target: HTMLElement): boolean => target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type)); // prettier-ignore
