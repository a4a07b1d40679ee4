import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { EntryLine, RunAnswer } from "../../api.ts";
import { ask, useAsked } from "../ask.ts";
import { useKeys } from "../keys.ts";
import { Entry } from "../parts/run/entry.tsx";
import { Crumbs, Status, TopBar, useTitle } from "../parts/frame.tsx";
import { RunHead } from "../parts/run/run-head.tsx";
import { Strip } from "../parts/run/strip.tsx";
import { useListKeys } from "../parts/lists/use-list-keys.ts";
import { usePages } from "../parts/lists/use-pages.ts";
import { useSearch } from "../parts/run/use-search.ts";
import { WindowedList } from "../parts/lists/windowed-list.tsx";
import { aboveRun, jobAt, runAt, taskAt } from "../addresses.ts";
import { go, rename } from "../route.ts";

/** A run, turn by turn. `seq`: the event that the address names. */
export function RunPage({ at, seq }: { readonly at: string; readonly seq: number | undefined }) {
  const [going, setGoing] = useState(false);
  const { data, error } = useAsked<RunAnswer>("run", { at }, going ? 1000 : undefined);
  const isGoing = data?.state === "running";
  if (isGoing !== going && data) setGoing(isGoing);
  const count = data?.entries ?? 0;
  const rows = usePages<EntryLine>("run/entries", { at }, going ? count : data?.state);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const toggle = useCallback((index: number) => setOpened((before) => toggled(before, index)), []);
  const keys = useListKeys(count, { open: { says: "open or fold what is cut", act: toggle } });
  const show = (entry: number): void => keys.handle.current?.show(entry, { top: true });
  const search = useSearch(at, (entry) => show(entry));
  const field = useRef<HTMLInputElement>(null);
  useTitle(data?.title ?? "");

  // the event that the address names, once the list is there
  const led = useRef<number>(undefined);
  useEffect(() => {
    if (seq === undefined || count === 0 || led.current === seq) return;
    led.current = seq;
    ask<{ entry: number }>("run/entry-of", { at, seq }).then(
      ({ entry }) => show(entry),
      () => undefined,
    ); // the page itself is there all the same
  }, [seq, count]);
  const turns = data?.turns ?? [];
  const current = rows.get(keys.current);
  const toTurn = (step: 1 | -1): void => {
    const here = turns.findLastIndex(({ entry }) => entry <= keys.current);
    const next = turns[step === 1 ? here + 1 : (turns[here]?.entry ?? 0) < keys.current ? here : here - 1];
    if (next) show(next.entry);
  };
  const toIntervention = (step: 1 | -1): void => {
    const found =
      step === 1 ? data?.interventions.find((one) => one > keys.current) : data?.interventions.findLast((one) => one < keys.current);
    if (found !== undefined) show(found);
  };
  useKeys([
    { keys: ["]"], says: "next turn", act: () => toTurn(1) },
    { keys: ["["], says: "turn before", act: () => toTurn(-1) },
    { keys: ["i"], says: "next intervention", act: () => toIntervention(1) },
    { keys: ["I"], says: "intervention before", act: () => toIntervention(-1) },
    { keys: ["/"], says: "search in this run", act: () => field.current?.focus() },
    { keys: ["n"], says: "next place that was found", act: () => search.step(1) },
    { keys: ["N"], says: "place before", act: () => search.step(-1) },
    {
      keys: ["l"],
      says: "put the current event into the address",
      act: () => current && rename(runAt(at, current.seq)),
    },
    {
      keys: ["u"],
      says: "up to the task, or the job",
      act: () => go(aboveRun(data)),
    },
  ]);
  const steps = [
    ...(data?.job == null
      ? []
      : [
          { text: data.job.split("/").at(-1) ?? data.job, href: jobAt(data.job) },
          ...(data.taskName === "" ? [] : [{ text: data.taskName, href: taskAt(data.job, data.taskName) }]),
        ]),
    { text: at.split("/").slice(-3).join("/") },
  ];
  return (
    <>
      <TopBar>
        <Crumbs steps={steps} />
        <form
          role="search"
          class="search"
          onSubmit={(event) => {
            event.preventDefault();
            search.step(1);
          }}
        >
          <input
            ref={field}
            type="search"
            placeholder="search in this run"
            aria-label="Search in this run"
            value={search.text}
            onInput={(event) => search.setText(event.currentTarget.value)}
          />
          <output aria-live="polite">{search.says}</output>
        </form>
        {data && <Strip turns={turns} entries={count} current={keys.current} onGo={show} />}
      </TopBar>
      <main>
        <Status error={error ?? rows.error} waiting={data ? undefined : "Reading the trace …"} />
        {data && <RunHead run={data} />}
        <WindowedList
          count={count}
          guess={130}
          label="Conversation and calls"
          class="entries"
          current={keys.current}
          onCurrent={keys.setCurrent}
          handle={keys.handle}
          onRange={rows.need}
          of={(index) => [rows.get(index), opened.has(index), search.mark]}
          row={(index) => {
            const entry = rows.get(index);
            return entry && <Entry entry={entry} at={at} open={opened.has(index)} onOpen={() => toggle(index)} mark={search.mark} />;
          }}
        />
        {data && data.verifier.length > 0 && (
          <section aria-label="What the verifier wrote">
            <h2>What the verifier wrote</h2>
            {data.verifier.map(({ name, text }) => (
              <details key={name} open={data.passed !== true}>
                <summary>{name}</summary>
                <pre dir="auto">{text}</pre>
              </details>
            ))}
          </section>
        )}
      </main>
    </>
  );
}

function toggled(before: ReadonlySet<number>, index: number): ReadonlySet<number> {
  const next = new Set(before);
  if (!next.delete(index)) next.add(index);
  return next;
}
