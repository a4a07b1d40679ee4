import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { createHeights } from "./heights.ts";

/** What a page can ask of its list. */
export interface ListHandle {
  /** Brings a row into view, and the focus to it. */
  show(index: number, o?: { readonly focus?: boolean; readonly top?: boolean }): void;
}

interface Props {
  readonly count: number;
  /** Height of a row that was not seen yet, pixels. */
  readonly guess: number;
  readonly label: string;
  /** Undefined for one that is on its way. */
  readonly row: (index: number) => ComponentChildren;
  /** What a row is made of, besides which one is current: as long as these stay the same, it is not made again. */
  readonly of: (index: number) => readonly unknown[];
  /** The row that keys act on. */
  readonly current: number;
  readonly onCurrent: (index: number) => void;
  /** These rows are drawn. */
  readonly onRange?: (from: number, to: number) => void;
  readonly handle?: { current: ListHandle | undefined };
  readonly class?: string;
}

/** Drawn above and below what is seen, pixels. */
const beyond = 500;

/**
 * A list of any length of which only what is seen is drawn. The page itself scrolls. Rows have the height they need; the browser keeps what is seen in its
 * place while rows above turn out to be higher or lower than guessed, since the spaces around the rows are elements of their own.
 */
export function WindowedList({ count, guess, label, row, of, current, onCurrent, onRange, handle, ...o }: Props) {
  const heights = useMemo(() => createHeights(guess), [guess]);
  heights.resize(count);
  const list = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<readonly [number, number]>([0, Math.min(count, 20)]);
  const [, redraw] = useState(0);
  const made = useRef(new Map<number, { readonly parts: readonly unknown[]; readonly drawn: JSX.Element }>());
  const latest = useRef(onCurrent);
  latest.current = onCurrent;
  const wanted = useRef<{ index: number; focus: boolean; top: boolean }>(undefined);

  const place = useCallback(() => {
    const top = list.current?.getBoundingClientRect().top ?? 0;
    const from = heights.at(Math.max(0, -top - beyond));
    const to = Math.min(heights.count(), heights.at(Math.max(0, innerHeight - top + beyond)) + 1);
    setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]));
  }, [heights]);

  useEffect(() => {
    let frame = 0;
    const later = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(place);
    };
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
    };
  }, [place]);

  const observer = useMemo(
    () =>
      new ResizeObserver((seen) => {
        let changed = false;
        for (const { target, borderBoxSize } of seen) {
          // what is not there yet says nothing of how high it will be
          if (!(target instanceof HTMLElement) || !target.isConnected || target.firstElementChild?.classList.contains("not-yet")) continue;
          changed = heights.set(Number(target.dataset["index"]), borderBoxSize[0]?.blockSize ?? target.offsetHeight) || changed;
        }
        if (!changed) return;
        redraw((n) => n + 1);
        place();
      }),
    [heights, place],
  );
  useEffect(() => () => observer.disconnect(), [observer]);
  const observed = useRef(new Set<Element>());
  useLayoutEffect(() => {
    const there = new Set<Element>(rows.current?.children);
    for (const one of observed.current) if (!there.has(one)) observer.unobserve(one);
    for (const one of there) if (!observed.current.has(one)) observer.observe(one);
    observed.current = there;
    if (wanted.current && focusOn(wanted.current)) wanted.current = undefined;
  });
  useLayoutEffect(place, [count, place]);
  useEffect(() => onRange?.(range[0], range[1]), [range[0], range[1], onRange]);

  /** False where the row is not drawn yet. */
  function focusOn({ index, focus, top }: { index: number; focus: boolean; top: boolean }): boolean {
    const element = rows.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
    if (!element) return false;
    element.scrollIntoView({ block: top ? "start" : "nearest" });
    if (focus) element.focus({ preventScroll: true });
    return true;
  }

  if (handle)
    handle.current = {
      show(index, { focus = true, top = false } = {}) {
        if (index < 0 || index >= count) return;
        onCurrent(index);
        const one = { index, focus, top };
        if (focusOn(one)) return;
        wanted.current = one;
        const above = (list.current?.getBoundingClientRect().top ?? 0) + scrollY;
        scrollTo(0, above + heights.offset(index) - innerHeight / 3);
        place();
        redraw((n) => n + 1);
      },
    };

  const [from, to] = [Math.min(range[0], count), Math.min(range[1], count)];
  for (const index of made.current.keys()) if (index < from || index >= to) made.current.delete(index);
  return (
    <div ref={list} class={`windowed ${o.class ?? ""}`} role="list" aria-label={label}>
      <div style={{ height: `${heights.offset(from)}px` }} aria-hidden="true" />
      <div ref={rows} role="presentation">
        {Array.from({ length: to - from }, (_, i) => from + i).map((index) => {
          const isCurrent = index === current;
          const parts = [isCurrent, count, ...of(index)];
          const known = made.current.get(index);
          if (known && known.parts.length === parts.length && parts.every((part, i) => Object.is(part, known.parts[i]))) return known.drawn;
          const drawn = (
            <div
              key={index}
              data-index={index}
              role="listitem"
              aria-posinset={index + 1}
              aria-setsize={count}
              tabIndex={isCurrent ? 0 : -1}
              class={isCurrent ? "row current" : "row"}
              onFocusIn={() => latest.current(index)}
            >
              {row(index) ?? (
                <div class="not-yet" style={{ height: `${guess}px` }}>
                  …
                </div>
              )}
            </div>
          );
          made.current.set(index, { parts, drawn });
          return drawn;
        })}
      </div>
      <div style={{ height: `${heights.offset(count) - heights.offset(to)}px` }} aria-hidden="true" />
    </div>
  );
}
