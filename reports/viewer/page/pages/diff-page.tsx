import { useMemo, useState } from "preact/hooks";
import type { DiffAnswer, DiffSide, EntryLine } from "../../api.ts";
import { useAsked } from "../ask.ts";
import { useKeys } from "../keys.ts";
import { alignedRows } from "../parts/lists/aligned-rows.ts";
import { Entry } from "../parts/run/entry.tsx";
import { Crumbs, Status, TopBar, useTitle, Verdict } from "../parts/frame.tsx";
import { DiffLines } from "../parts/run/long-text.tsx";
import { useListKeys } from "../parts/lists/use-list-keys.ts";
import { usePages, type Pages } from "../parts/lists/use-pages.ts";
import { WindowedList } from "../parts/lists/windowed-list.tsx";
import { aboveRun, runAt } from "../addresses.ts";
import { go } from "../route.ts";

/** Two runs side by side, level where they part, and from there turn by turn. */
export function DiffPage({ a, b }: { readonly a: string; readonly b: string }) {
  const { data, error } = useAsked<DiffAnswer>("diff", { a, b });
  const left = usePages<EntryLine>("run/entries", { at: a });
  const right = usePages<EntryLine>("run/entries", { at: b });
  const rows = useMemo(() => (data ? alignedRows(data.a, data.b) : []), [data]);
  const parting = rows.findIndex((row) => row.parts);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string): void =>
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const keys = useListKeys(rows.length, { open: { says: "open or fold what is cut", act: (index) => toggle(String(index)) } });
  useTitle("Side by side");
  useKeys([
    { keys: ["p"], says: "where they part", act: () => parting >= 0 && keys.handle.current?.show(parting, { top: true }) },
    { keys: ["u"], says: "up to the task, or the job", act: () => go(aboveRun(data?.a)) },
  ]);
  const cell = (pages: Pages<EntryLine>, side: DiffSide, entry: number | undefined, row: number, name: string) => {
    if (entry === undefined) return <div class="side-cell none" aria-hidden="true" />;
    const found = pages.get(entry);
    return (
      <div class="side-cell" data-side={name}>
        {found ? (
          <Entry entry={found} at={side.place} open={opened.has(String(row))} onOpen={() => toggle(String(row))} bare />
        ) : (
          <p class="note waiting">…</p>
        )}
      </div>
    );
  };
  return (
    <>
      <TopBar>
        <Crumbs steps={[{ text: "side by side" }]} />
        {parting >= 0 && (
          <button type="button" onClick={() => keys.handle.current?.show(parting, { top: true })}>
            Where they part
          </button>
        )}
      </TopBar>
      <main class="wide">
        <Status error={error ?? left.error ?? right.error} waiting={data ? undefined : "Reading both traces …"} />
        {data && (
          <>
            <p class="verdict">{data.says}</p>
            {data.first.says !== "" && (
              <details>
                <summary>The first event that differs in any way</summary>
                <p>{data.first.says}</p>
                {data.first.diff !== "" && (
                  <pre dir="auto" class="diff">
                    <DiffLines text={data.first.diff} />
                  </pre>
                )}
              </details>
            )}
            <div class="sides heads">
              <SideHead name="first" side={data.a} />
              <SideHead name="second" side={data.b} />
            </div>
            <WindowedList
              count={rows.length}
              guess={150}
              label="Both runs"
              class="entries"
              current={keys.current}
              onCurrent={keys.setCurrent}
              handle={keys.handle}
              onRange={(from, to) => {
                const seen = rows.slice(from, to);
                needOf(
                  left,
                  seen.flatMap((row) => row.a ?? []),
                );
                needOf(
                  right,
                  seen.flatMap((row) => row.b ?? []),
                );
              }}
              of={(index) => [left.get(rows[index]?.a ?? -1), right.get(rows[index]?.b ?? -1), opened.has(String(index)), rows[index]]}
              row={(index) => {
                const row = rows[index];
                if (!row) return null;
                const turn = left.get(row.a ?? -1)?.turnLine ?? right.get(row.b ?? -1)?.turnLine;
                return (
                  <>
                    {row.parts && <h2 class="part">Here they part</h2>}
                    {turn !== undefined && <h2 class="turn">{turn.replace(/ · .*/, "")}</h2>}
                    <div class="sides">
                      {cell(left, data.a, row.a, index, "first")}
                      {cell(right, data.b, row.b, index, "second")}
                    </div>
                  </>
                );
              }}
            />
          </>
        )}
      </main>
    </>
  );
}

function needOf(pages: Pages<EntryLine>, entries: readonly number[]): void {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first !== undefined && last !== undefined) pages.need(first, last + 1);
}

function SideHead({ name, side }: { readonly name: string; readonly side: DiffSide }) {
  return (
    <div class="side-cell">
      <h3>
        <small>{name}</small>{" "}
        <a href={runAt(side.place)}>
          <bdi>{side.place.split("/").slice(-4).join("/")}</bdi>
        </a>
      </h3>
      <p class="facts">
        <Verdict passed={side.passed}>{side.verdict}</Verdict>
      </p>
      {side.says !== "" && (
        <p class="note">
          there: <code>{side.says}</code>
        </p>
      )}
    </div>
  );
}
