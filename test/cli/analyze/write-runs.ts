import { join } from "node:path";
import { eventsOf, type MadeRun } from "../../analyzer/make-run.ts";
import { writeRun } from "../../traces/write-run.ts";

/** Six tasks with two failed and two passed runs each: the failed ones reply with a call in JSON that cannot be read. */
export function writeRuns(folder: string, tasks: readonly string[] = ["a", "b", "c", "d", "e", "f"]): string[] {
  return tasks.flatMap((task) =>
    [0, 1, 2, 3].map((n) => {
      const passed = n > 1;
      const made: MadeRun = {
        instruction: `${task} ${n}`,
        task,
        passed,
        turns: [{ text: passed ? "" : '```json\n{"tool": "sed", "args": {}}\n```', calls: passed ? [{ args: "ls", output: "a" }] : [] }],
      };
      return writeRun(join(folder, `${task}-${n}`), eventsOf(made));
    }),
  );
}
