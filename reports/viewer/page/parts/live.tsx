import type { LiveProgress } from "../../api.ts";
import { plural } from "../../../text/format.ts";
import { runAt } from "../addresses.ts";
import { ProgressBar } from "./progress-bar.tsx";

/** What a running job does now. */
export function Live({ live }: { readonly live: LiveProgress }) {
  const says = `${live.done} of ${plural(live.trials, "trial")}`;
  return (
    <section class="live" aria-label="What runs now">
      <ProgressBar done={live.done} of={live.trials} says={says} />
      <p class="facts">
        <b>{says}</b>
        {live.left !== "" && <span>{live.left}</span>}
        {live.notes.map((note) => (
          <span key={note}>{note}</span>
        ))}
      </p>
      {live.running.length > 0 && (
        <ul class="plain running">
          {live.running.map((one) => (
            <li key={one.place}>
              <a href={runAt(one.place)}>
                <bdi>{one.task}</bdi>
              </a>{" "}
              <bdi>{one.configuration}</bdi> #{one.repeat} <span class="soft">{one.for}</span> <code>{one.says}</code>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
