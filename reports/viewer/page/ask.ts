import { useEffect, useState } from "preact/hooks";
import type { ErrorAnswer } from "../api.ts";

const key = "forge-view-token";

/** Takes the token out of the address that `forge view` printed, so that it stands in no history, and keeps it for this server's pages. */
export function keepToken(): void {
  const [, token] = /^#token=([\w-]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  localStorage.setItem(key, token);
  history.replaceState(null, "", location.pathname + location.search);
}

type Params = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** An answer of the server. @throws Error with a finished sentence */
export async function ask<T>(path: string, params: Params = {}, o: RequestInit = {}): Promise<T> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) for (const one of [value ?? []].flat()) query.append(name, String(one));
  const text = query.toString();
  const headers = { authorization: `Bearer ${localStorage.getItem(key) ?? ""}`, ...(o.body ? { "content-type": "application/json" } : {}) };
  let response: Response;
  try {
    response = await fetch(`/api/${path}${text === "" ? "" : `?${text}`}`, { ...o, headers });
  } catch (error) {
    if (o.signal?.aborted) throw error;
    throw new Error("The server does not respond: forge view has ended. Start it again.");
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error((answer as ErrorAnswer | undefined)?.error ?? `The server responded with ${response.status}.`); // what it sends with such a status
  return answer as T; // of the same build: `api.ts` is the contract
}

export interface Asked<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
}

/** What the server answers, asked again whenever the question changes, and every `everyMs` as long as the page is seen. */
export function useAsked<T>(path: string | undefined, params: Params, everyMs?: number): Asked<T> {
  const [state, setState] = useState<Asked<T> & { readonly of: string }>({ data: undefined, error: undefined, of: "" });
  const question = JSON.stringify([path, params]);
  useEffect(() => {
    if (path === undefined) return;
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      if (!document.hidden)
        try {
          const data = await ask<T>(path, params, { signal: end.signal });
          if (!end.signal.aborted) setState({ data, error: undefined, of: question });
        } catch (error) {
          const said = error instanceof Error ? error.message : String(error);
          if (!end.signal.aborted)
            setState((before) => ({ data: before.of === question ? before.data : undefined, error: said, of: question }));
        }
      if (everyMs !== undefined && !end.signal.aborted) timer = setTimeout(() => void load(), everyMs);
    };
    void load();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [question, everyMs]);
  // an answer to another question is none
  return state.of === question ? state : { data: undefined, error: undefined };
}
