import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "../../../api.ts";
import { ask } from "../../ask.ts";

/** A long list of which only the parts that are looked at are fetched. */
export interface Pages<T, P extends Page<T> = Page<T>> {
  /** Undefined until it is there. */
  get(index: number): T | undefined;
  /** Undefined until the first part is there. */
  readonly total: number | undefined;
  /** The part that came last, for what it says besides its items. */
  readonly last: P | undefined;
  readonly error: string | undefined;
  /** These rows are seen. */
  need(from: number, to: number): void;
}

/** Rows that fly by are not worth a question each. */
const settleMs = 30;
/** What failed is asked again after so long at the earliest. */
const againMs = 2000;

/**
 * @param version another one: what is there stays until it has been fetched again
 * @param params another question: what is there goes
 * @param size items of a part
 */
export function usePages<T, P extends Page<T> = Page<T>>(
  path: string,
  params: Readonly<Record<string, string | undefined>>,
  version: unknown = 0,
  size = 100,
): Pages<T, P> {
  const question = JSON.stringify([path, params]);
  const held = useRef({ question: "", parts: new Map<number, { readonly version: unknown; readonly items: readonly T[] }>(), asked: new Map<number, unknown>(), wanted: [0, 1], total: Number.POSITIVE_INFINITY }); // prettier-ignore
  const [state, setState] = useState<{ total: number | undefined; last: P | undefined; error: string | undefined }>({ total: undefined, last: undefined, error: undefined }); // prettier-ignore
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (held.current.question !== question) {
    held.current = { ...held.current, question, parts: new Map(), asked: new Map(), total: Number.POSITIVE_INFINITY };
  }
  const now = held.current;
  const load = useCallback(() => {
    const [from = 0, to = 1] = now.wanted;
    // a part more on either side, so that it is there when someone comes to it
    const [first, last] = [Math.max(0, Math.floor(from / size - 0.5)), Math.floor(Math.max(from, to - 1) / size + 0.5)];
    for (let part = first; part <= last; part++) {
      if (part * size >= now.total) break;
      if (now.parts.get(part)?.version === version || now.asked.get(part) === version) continue;
      now.asked.set(part, version);
      ask<P>(path, { ...params, from: part * size, count: size }).then(
        (answer) => {
          if (held.current !== now) return;
          now.asked.delete(part);
          now.parts.set(part, { version, items: answer.items });
          now.total = Math.max(1, answer.total);
          setState({ total: answer.total, last: answer, error: undefined });
        },
        (error: unknown) => {
          if (held.current !== now) return;
          setTimeout(() => now.asked.delete(part), againMs);
          setState((before) => ({ ...before, error: error instanceof Error ? error.message : String(error) }));
        },
      );
    }
  }, [question, version]);
  const latest = useRef(load);
  latest.current = load;
  useEffect(load, [load]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const isNew = now.parts.size === 0;
  return {
    get: (index) => now.parts.get(Math.floor(index / size))?.items[index % size],
    total: isNew ? undefined : state.total,
    last: isNew ? undefined : state.last,
    error: state.error,
    need(from, to) {
      now.wanted = [from, to];
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        latest.current();
      }, settleMs);
    },
  };
}
