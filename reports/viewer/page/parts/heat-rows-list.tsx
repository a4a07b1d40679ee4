import { useState } from "preact/hooks";
import type { HeatRow, HeatRows, RowOrder } from "../../api.ts";
import { plural } from "../../../text/format.ts";
import { taskAt } from "../addresses.ts";
import { go } from "../route.ts";
import { Made, Status } from "./frame.tsx";
import { useListKeys } from "./lists/use-list-keys.ts";
import { usePages } from "./lists/use-pages.ts";
import { WindowedList } from "./lists/windowed-list.tsx";

/** Task × configuration, a mark a repeat. `ready`: all trials have been read, so that tasks can be ordered by what they tell. */
export function HeatRowsList(o: { readonly at: string; readonly version: number; readonly ready: boolean; readonly running: boolean }) {
  const { at, version, ready, running } = o;
  const [chosen, setOrder] = useState<RowOrder>();
  const order = chosen ?? (running ? "name" : undefined); // rows that change places while someone reads them are no help
  const rows = usePages<HeatRow, HeatRows>("job/rows", { at, order }, version, 25);
  const { last } = rows;
  const count = rows.total ?? 0;
  const keys = useListKeys(count, {
    open: {
      says: "open the task",
      act: (index) => {
        const row = rows.get(index);
        if (row) go(taskAt(at, row.task));
      },
    },
  });
  const columns = last?.configurations ?? [];
  return (
    <section aria-label="Tasks" class="heat-list" style={{ "--columns": columns.length }}>
      <Status error={rows.error} waiting={last ? undefined : "Reading the tasks …"} />
      {last && <Made as="p" class="note" html={last.legend} />}
      {last && (
        <p class="choices">
          <span>{plural(count, "task")}, ordered by</span>
          {(["difference", "name"] as const).map((one) => (
            <button
              type="button"
              key={one}
              aria-pressed={(order ?? last.order) === one}
              disabled={one === "difference" && !ready}
              onClick={() => setOrder(one)}
            >
              {one === "difference" ? "what they tell apart" : "name"}
            </button>
          ))}
        </p>
      )}
      <div class="heat-head" aria-hidden="true">
        <span>task</span>
        {columns.map((name) => (
          <bdi key={name}>{name}</bdi>
        ))}
      </div>
      <WindowedList
        count={count}
        guess={37}
        label="Tasks"
        current={keys.current}
        onCurrent={keys.setCurrent}
        handle={keys.handle}
        onRange={rows.need}
        of={(index) => [rows.get(index)]}
        row={(index) => {
          const row = rows.get(index);
          return row ? (
            <div class="heat-row">
              <a href={taskAt(at, row.task)}>
                <bdi>{row.task}</bdi>
              </a>
              {row.html.map((html, i) => (
                <Made key={i} html={html} class="heat-cell" />
              ))}
            </div>
          ) : undefined;
        }}
      />
    </section>
  );
}
