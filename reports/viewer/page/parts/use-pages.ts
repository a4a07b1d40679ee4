import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Page } from "../../api.ts";
import { ask } from "../ask.ts";

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

const size = 100;
/** Rows that fly by are not worth a question. */
const settleMs = 40;
/** What failed is asked again after so long at the earliest. */
const againMs = 2000;

/**
 * @param version another one: what is there stays until it has been fetched again
 * @param params another question: what is there goes
 */
export function usePages<T, P extends Page<T> = Page<T>>(
  path: string,
  params: Readonly<Record<string, string | undefined>>,
  version: unknown = 0,
): Pages<T, P> {
  const question = JSON.stringify([path, params]);
  const held = useRef({ question: "", parts: new Map<number, { readonly version: unknown; readonly items: readonly T[] }>(), asked: new Map<number, unknown>(), wanted: [0, 1], first: true }); // prettier-ignore
  const [state, setState] = useState<{ total: number | undefined; last: P | undefined; error: string | undefined }>({ total: undefined, last: undefined, error: undefined }); // prettier-ignore
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (held.current.question !== question) {
    held.current = { ...held.current, question, parts: new Map(), asked: new Map(), first: true };
  }
  const now = held.current;
  const load = useCallback(() => {
    const [from = 0, to = 1] = now.wanted;
    for (let part = Math.floor(from / size); part <= Math.floor(Math.max(from, to - 1) / size); part++) {
      if (now.parts.get(part)?.version === version || now.asked.get(part) === version) continue;
      now.asked.set(part, version);
      ask<P>(path, { ...params, from: part * size, count: size }).then(
        (answer) => {
          if (held.current !== now) return;
          now.asked.delete(part);
          now.parts.set(part, { version, items: answer.items });
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
  useEffect(() => {
    load();
    return () => clearTimeout(timer.current);
  }, [load]);
  const isNew = now.first && now.parts.size === 0;
  return {
    get: (index) => now.parts.get(Math.floor(index / size))?.items[index % size],
    total: isNew ? undefined : state.total,
    last: isNew ? undefined : state.last,
    error: state.error,
    need(from, to) {
      now.wanted = [from, to];
      clearTimeout(timer.current);
      timer.current = setTimeout(load, settleMs);
    },
  };
}
