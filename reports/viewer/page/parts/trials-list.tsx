import { useRef, useState } from "preact/hooks";
import type { TrialLine } from "../../api.ts";
import { plural } from "../../../text/format.ts";
import { useKeys } from "../keys.ts";
import { runAt } from "../addresses.ts";
import { go } from "../route.ts";
import { Status } from "./frame.tsx";
import { TrialRow } from "./trial-row.tsx";
import { useListKeys } from "./lists/use-list-keys.ts";
import { usePages } from "./lists/use-pages.ts";
import { WindowedList } from "./lists/windowed-list.tsx";

const outcomes = ["all", "passed", "failed", "no score"] as const;

/** All trials of a job, or those that fit. */
export function TrialsList({ at, version }: { readonly at: string; readonly version: number }) {
  const [text, setText] = useState("");
  const [outcome, setOutcome] = useState<(typeof outcomes)[number]>("all");
  const field = useRef<HTMLInputElement>(null);
  const rows = usePages<TrialLine>("job/trials", { at, text, outcome }, version);
  const count = rows.total ?? 0;
  const open = (index: number): void => {
    const place = rows.get(index)?.place;
    if (place != null) go(runAt(place));
  };
  const keys = useListKeys(count, { open: { says: "open the run", act: open } });
  useKeys([{ keys: ["/"], says: "narrow the list down", act: () => field.current?.focus() }]);
  return (
    <section aria-label="Trials">
      <p class="choices">
        <input
          ref={field}
          type="search"
          placeholder="task, configuration, how it ended"
          aria-label="Narrow the list down"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {outcomes.map((one) => (
          <button type="button" key={one} aria-pressed={outcome === one} onClick={() => setOutcome(one)}>
            {one}
          </button>
        ))}
        <span aria-live="polite">{rows.total === undefined ? "" : plural(count, "trial")}</span>
      </p>
      <Status error={rows.error} waiting={rows.total === undefined ? "Reading the trials …" : undefined} />
      <WindowedList
        count={count}
        guess={34}
        label="Trials"
        current={keys.current}
        onCurrent={keys.setCurrent}
        handle={keys.handle}
        onRange={rows.need}
        of={(index) => [rows.get(index)]}
        row={(index) => {
          const trial = rows.get(index);
          return trial && <TrialRow trial={trial} named />;
        }}
      />
    </section>
  );
}
