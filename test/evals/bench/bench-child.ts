/** A bench in a process of its own, for tests that kill it: `node jiti-cli bench-child.ts '<ChildRequest as JSON>'`. Prints one event a line. */
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { bench } from "../../../evals/bench/bench.ts";
import type { SandboxKind } from "../../../harness/sandbox/sandbox.ts";
import { loadTask } from "../../../tasks/formats/load-task.ts";
import { resolve, scripted } from "../agents/agent-fixture.ts";
import { fixtureConfig, suiteOf } from "../bench-fixture.ts";

export interface ChildRequest {
  readonly tasks: readonly string[];
  readonly out: string;
  readonly repeats: number;
  readonly sandbox: SandboxKind;
  /** Another agent in place of the tasks' solutions. */
  readonly other?: boolean;
}

const request = JSON.parse(process.argv[2] ?? "") as ChildRequest; // written by the test beside it
const tasks = await Promise.all(request.tasks.map((folder) => loadTask(folder, { own: true })));
await bench(
  {
    suite: suiteOf(...tasks),
    configurations: request.other ? [await resolve(scripted, "a")] : [fixtureConfig("a"), fixtureConfig("b")],
    agent: request.other ? "configured" : "oracle",
    repeats: request.repeats,
    sandbox: request.sandbox,
    jobs: 2,
    asked: {},
    out: request.out,
  },
  await createBenchPorts({}),
  { onEvent: (event) => process.stdout.write(`${JSON.stringify(event)}\n`) },
);
