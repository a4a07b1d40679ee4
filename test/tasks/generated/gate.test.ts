import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBubblewrapProvider } from "../../../harness/sandbox/bubblewrap/bubblewrap-provider.ts";
import { checkTask } from "../../../evals/gate/check-task.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { families } from "../../../tasks/generated/families.ts";
import { levels } from "../../../tasks/generated/family.ts";
import { generateTasks } from "../../../tasks/generated/generate.ts";
import { needs } from "../../needs.ts";
import { holdChanged } from "../held.ts";
import { createTaskRunner, solvedAndNot } from "../run-task.ts";

let root: string;
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), "forge-gate-families-"))));
afterAll(() => rm(root, { recursive: true, force: true }));

const tools = ["bubblewrap", "python3", "git", "make"] as const;
/** Their verifiers measure, or wait for programs: the lowest level has the fewest rounds. */
const slow = ["live-service", "performance"];
/** One of each kind: a rule book, which the whole gate holds, a planted bug, a project, a history, a running service, a measured program. */
const sample = ["config-edit", "planted-bug-python", "failing-tests", "git-bisect", "live-service", "performance"];
// Two seeds a family, of two levels, other levels for the next family. Beyond the sample a task is gated where its bytes changed since
// scripts/campaigns/hold-tasks.ts held it; `npm run gate` has twenty of each with everything.
const drawn = families.flatMap((family, i) =>
  [i, i + 1].map((turn, k) => {
    const level = slow.includes(family.name) ? "easy" : (levels[turn % levels.length] ?? "easy");
    return { family, level, seed: 101 + k } as const;
  }),
);

describe.skipIf(tools.some((tool) => needs(tool)))("the gate over families", () => {
  const provider = createBubblewrapProvider();
  it.concurrent.each(drawn.map((one) => [`${one.family.name} ${one.level} ${one.seed}`, one] as const))(
    "%s: its solution and its plan pass; nothing and every wrong solution fail",
    { timeout: 600_000 },
    async (_, { family, level, seed }) => {
      const out = await mkdtemp(join(root, "drawn-"));
      const [folder = ""] = await generateTasks({ families: [family], levels: [level], seeds: [seed], out });
      const task = await loadTask(join(out, folder));
      await holdChanged(`gate: ${folder}`, task.digest, { sample: seed === 101 && sample.includes(family.name) }, async (whole) => {
        const runner = await createTaskRunner(task, provider);
        if (!whole && family.name !== sample[0]) {
          for (const [who, passes] of solvedAndNot(task)) expect(await runner.run(who)).toMatchObject({ passed: passes });
          return;
        }
        const tried = whole ? task : { ...task, wrong: task.wrong.slice(0, 1) };
        const { lines } = await checkTask(tried, { runAs: (who) => runner.run(who), listImageFiles: () => runner.listImageFiles() });
        expect(lines.filter(({ ok }) => !ok)).toEqual([]);
      });
    },
  );
});
