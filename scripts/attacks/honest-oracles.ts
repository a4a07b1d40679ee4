import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import { bench } from "../../evals/bench/bench.ts";
import { loadSuite } from "../../tasks/formats/load-suite.ts";
import { plainConfig } from "./plain-config.ts";

/** Runs the solutions of Forge's own suites in hardened mode; answers 1 when one of them does not pass. */
export async function honestOracles(repeats: number): Promise<number> {
  const ports = await createBenchPorts({});
  let trials = 0;
  const failures: string[] = [];
  for (const name of ["builtin", "demo"]) {
    const folder = await mkdtemp(join(tmpdir(), "forge-honest-"));
    try {
      await bench(
        {
          suite: await loadSuite(name),
          configurations: [plainConfig],
          agent: "oracle",
          repeats,
          sandbox: "docker",
          mode: "hardened",
          jobs: 2,
          out: join(folder, "job"),
          asked: {},
        },
        ports,
        {
          onEvent(event) {
            if (event.type !== "trial.end") return;
            trials += 1;
            const { task, repeat, class: kind, passed, error = "" } = event.record;
            if (passed === true) return;
            failures.push(`${name}/${task} ${repeat}`);
            process.stdout.write(`false failure: ${name}/${task} ${repeat}: ${kind} ${error}\n`);
          },
        },
      );
      process.stdout.write(`${name}: ${trials} trials so far, ${failures.length} false failures\n`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  process.stdout.write(`${trials} honest trials in hardened mode, ${failures.length} false failures\n`);
  return failures.length === 0 ? 0 : 1;
}
