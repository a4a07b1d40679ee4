import { useRef, useState } from "preact/hooks";
import type { TaskAnswer, TrialLine } from "../../api.ts";
import { useAsked } from "../ask.ts";
import { useKeys } from "../keys.ts";
import { Crumbs, Status, TopBar, useTitle } from "../parts/frame.tsx";
import { TrialRow } from "../parts/trial-row.tsx";
import { useListKeys } from "../parts/lists/use-list-keys.ts";
import { diffAt, jobAt, runAt } from "../addresses.ts";
import { go } from "../route.ts";

/** One task of a job: what it asks, how it went, and any two of its runs to be held side by side. */
export function TaskPage({ at, task }: { readonly at: string; readonly task: string }) {
  const { data, error } = useAsked<TaskAnswer>("job/task", { at, task }, 3000);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useTitle(task);
  const pair = chosen.length === 2 ? chosen : unlike(data);
  const [a, b] = pair;
  const compare = (): void => {
    if (a !== undefined && b !== undefined) go(diffAt(a, b));
  };
  const trials = (data?.arms ?? []).flatMap((arm) => arm.trials);
  const rows = useRef<HTMLElement>(null);
  const keys = useListKeys(trials.length, {
    open: {
      says: "open the run",
      act: (index) => {
        const place = trials[index]?.place;
        if (place != null) go(runAt(place));
      },
    },
  });
  keys.handle.current = {
    show(index) {
      keys.setCurrent(index);
      const row = rows.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
      row?.scrollIntoView({ block: "nearest" });
      row?.focus({ preventScroll: true });
    },
  };
  useKeys([
    {
      keys: ["x"],
      says: "tick a run",
      act: () => {
        const place = trials[keys.current]?.place;
        if (place != null) choose(place);
      },
    },
    { keys: ["d"], says: "two runs side by side", act: compare },
    { keys: ["u"], says: "up to the job", act: () => go(jobAt(at)) },
  ]);
  const choose = (place: string): void =>
    setChosen((before) => (before.includes(place) ? before.filter((one) => one !== place) : [...before, place].slice(-2)));
  return (
    <>
      <TopBar>
        <Crumbs steps={[{ text: at.split("/").at(-1) ?? at, href: jobAt(at) }, { text: task }]} />
        <button type="button" disabled={a === undefined || b === undefined} onClick={compare}>
          {chosen.length === 2 ? "Chosen runs side by side" : "Side by side"}
        </button>
      </TopBar>
      <main ref={rows}>
        <Status error={error} waiting={data ? undefined : "Reading the task …"} />
        {data && (
          <>
            <h1>
              <bdi>{data.task}</bdi>
            </h1>
            <p class="verdict">{data.verdict}</p>
            <dl class="facts">
              {data.facts.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
            {data.instruction !== "" && (
              <details open>
                <summary>What the agent is told</summary>
                <pre dir="auto">{data.instruction}</pre>
              </details>
            )}
            <p class="note">
              Tick two runs to hold them side by side
              {chosen.length < 2 && a !== undefined ? "; else a passed run and a failed one are taken" : ""}.
            </p>
            {data.arms.map((arm) => (
              <section key={arm.configuration} aria-label={arm.configuration}>
                <h2>
                  <bdi>{arm.configuration}</bdi> <small>{arm.says}</small>
                </h2>
                {arm.trials.map((trial) => {
                  const index = trials.indexOf(trial);
                  const isCurrent = index === keys.current;
                  return (
                    <div
                      key={trial.repeat}
                      data-index={index}
                      tabIndex={isCurrent ? 0 : -1}
                      class={isCurrent ? "row current" : "row"}
                      onFocusIn={() => keys.setCurrent(index)}
                    >
                      <TrialRow trial={trial}>
                        {trial.place !== null && (
                          <input
                            type="checkbox"
                            aria-label={`${arm.configuration}, repeat ${trial.repeat}: one of two side by side`}
                            checked={chosen.includes(trial.place)}
                            onChange={() => trial.place !== null && choose(trial.place)}
                          />
                        )}
                      </TrialRow>
                    </div>
                  );
                })}
              </section>
            ))}
          </>
        )}
      </main>
    </>
  );
}

/** Two runs that say most: one that passed and one that failed, of two configurations where there are such; else the first two. */
function unlike(data: TaskAnswer | undefined): readonly string[] {
  const trials = (data?.arms ?? []).flatMap((arm) => arm.trials).filter((trial) => trial.place !== null);
  const passed = trials.filter((trial) => trial.passed === true);
  const failed = trials.filter((trial) => trial.passed === false);
  const apart = (one: TrialLine): TrialLine | undefined => failed.find((other) => other.configuration !== one.configuration) ?? failed[0];
  const [good] = passed;
  const found = good ? [good, apart(good) ?? passed[1]] : trials.slice(0, 2);
  return found.flatMap((trial) => trial?.place ?? []);
}
