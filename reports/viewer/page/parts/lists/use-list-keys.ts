import { useRef, useState } from "preact/hooks";
import { useKeys } from "../../keys.ts";
import type { ListHandle } from "./windowed-list.tsx";

export interface ListKeys {
  readonly current: number;
  readonly setCurrent: (index: number) => void;
  readonly handle: { current: ListHandle | undefined };
}

/** The keys that every list has: one row on or back, the first and the last, and what Enter does. */
export function useListKeys(
  count: number,
  o: { readonly open?: { readonly says: string; readonly act: (index: number) => void } },
): ListKeys {
  const [current, setCurrent] = useState(0);
  const handle = useRef<ListHandle>(undefined);
  const to = (index: number): void => handle.current?.show(Math.max(0, Math.min(count - 1, index)));
  useKeys([
    { keys: ["j"], says: "next row", act: () => to(document.activeElement === document.body && current === 0 ? 0 : current + 1) },
    { keys: ["k"], says: "row before", act: () => to(current - 1) },
    { keys: ["g"], says: "first row", act: () => to(0) },
    { keys: ["G"], says: "last row", act: () => to(count - 1) },
    ...(o.open ? [{ keys: ["Enter", "o"], says: o.open.says, act: () => o.open?.act(current) }] : []),
  ]);
  return { current, setCurrent, handle };
}
