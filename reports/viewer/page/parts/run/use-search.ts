import { useEffect, useRef, useState } from "preact/hooks";
import type { SearchAnswer } from "../../../api.ts";
import { plural } from "../../../../text/format.ts";
import { ask } from "../../ask.ts";

export interface Search {
  readonly text: string;
  readonly setText: (text: string) => void;
  /** What is marked where it stands. */
  readonly mark: string;
  readonly says: string;
  /** To the next place, or the one before. */
  readonly step: (by: 1 | -1) => void;
}

/** Somebody is still typing. */
const settleMs = 200;

/** Looks for a text in all of a run. */
export function useSearch(at: string, show: (entry: number) => void): Search {
  const [text, setText] = useState("");
  const [found, setFound] = useState<SearchAnswer & { readonly of: string; readonly here: number; readonly error?: string }>();
  const held = useRef(show);
  held.current = show;
  useEffect(() => {
    if (text === "") return setFound(undefined);
    const end = new AbortController();
    const timer = setTimeout(() => {
      ask<SearchAnswer>("run/search", { at, text }, { signal: end.signal }).then(
        (answer) => {
          if (!end.signal.aborted) setFound({ ...answer, of: text, here: -1 });
        },
        (why: unknown) => {
          if (!end.signal.aborted) setFound({ entries: [], more: false, of: text, here: -1, error: why instanceof Error ? why.message : String(why) }); // prettier-ignore
        },
      );
    }, settleMs);
    return () => {
      clearTimeout(timer);
      end.abort();
    };
  }, [text, at]);
  const current = found?.of === text ? found : undefined;
  return {
    text,
    setText,
    mark: current && current.entries.length > 0 ? text : "",
    says: saying(text, current),
    step(by) {
      if (!current || current.entries.length === 0) return;
      const { length } = current.entries;
      const here = current.here < 0 ? (by === 1 ? 0 : length - 1) : (current.here + by + length) % length;
      setFound({ ...current, here });
      const entry = current.entries[here];
      if (entry !== undefined) held.current(entry);
    },
  };
}

function saying(text: string, found: (SearchAnswer & { readonly here: number; readonly error?: string }) | undefined): string {
  if (text === "") return "";
  if (!found) return "…";
  if (found.error !== undefined) return found.error;
  const { length } = found.entries;
  if (found.here >= 0) return `${found.here + 1} of ${length}${found.more ? "+" : ""}`;
  return length === 0 ? "nowhere" : found.more ? `${length}+ places` : plural(length, "place");
}
