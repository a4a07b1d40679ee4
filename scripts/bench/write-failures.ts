import { join } from "node:path";
import { runAgent } from "../../harness/agent/run-agent.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { createFixtureSandbox } from "../../harness/fixtures/fixture-sandbox.ts";
import { createFixtureTools } from "../../harness/fixtures/fixture-tools.ts";
import { createScriptedModel } from "../../harness/models/scripted/scripted-model.ts";
import { seededRandom } from "../../harness/seeded-random.ts";
import { micros, nobody, randomPort, systemClock } from "../../harness/system-ports.ts";
import { recordTrace } from "../../traces/record/record-trace.ts";

interface Step {
  readonly command: string;
  readonly output: string;
  readonly failed?: boolean;
  readonly edited?: readonly string[];
}

/**
 * Runs of 40 tasks of 10 families by two configurations, with what real ones are full of: looks, edits, errors, calls made again, checks. Runs that look first
 * fail less often, so that there is something to find.
 */
export async function writeFailures(
  folder: string,
  o: { readonly from: number; readonly to: number; readonly turns: number },
): Promise<void> {
  for (let i = o.from; i < o.to; i++) {
    const random = seededRandom(i);
    const looks = random() < 0.5;
    await recordFailure(join(folder, `run-${i}`), {
      number: i,
      steps: stepsOf(o.turns - 1, looks, random),
      passed: random() < (looks ? 0.8 : 0.4),
    });
  }
}

function stepsOf(count: number, looks: boolean, random: () => number): Step[] {
  const stuck = random() < 0.3;
  return Array.from({ length: count }, (_, i): Step => {
    if (i === 0 && looks) return { command: "ls -la && cat README.md", output: lines("file", 20) };
    if (stuck && i > 3) return { command: "python3 main.py", output: `${lines("trace", 10)}ValueError: bad value ${i % 2}`, failed: true };
    const kind = random();
    if (kind < 0.3) return { command: `sed -n '${i},40p' src/part${i}.py`, output: lines(`part ${i}`, 30) };
    if (kind < 0.6) return { command: `sed -i 's/a${i}/b${i}/' src/part${i}.py`, output: "", edited: [`src/part${i}.py`] };
    if (kind < 0.7) return { command: "pytest -q", output: "bash: pytest: command not found", failed: true };
    return { command: `python3 -m unittest tests.test_${i}`, output: `${lines("test", 12)}OK`, failed: random() < 0.4 };
  });
}

const lines = (what: string, count: number): string => `${what} says what a program prints here\n`.repeat(count);

async function recordFailure(
  folder: string,
  { number, steps, passed }: { readonly number: number; readonly steps: readonly Step[]; readonly passed: boolean },
): Promise<void> {
  const tools = createFixtureTools({
    bash({ id }) {
      const { output, failed = false, edited = [] } = steps[Number(id)] ?? { output: "" };
      return { text: output, status: failed ? "error" : "ok", effects: { edited: [...edited] } };
    },
  });
  const model = createScriptedModel((_, { ordinal }) => {
    const step = steps[ordinal];
    return step
      ? { calls: [{ id: String(ordinal), name: "bash", args: { command: step.command } }] }
      : { text: "It is done, and the tests pass." };
  });
  const configuration = number % 2 === 0 ? "even" : "odd";
  const config: ResolvedConfig = {
    name: configuration,
    hash: (number % 2 === 0 ? "e" : "0").repeat(64),
    model: { name: "scripted/script", protocol: "native", maxOutputTokens: 1000 },
    system: [{ name: "identity", text: "You are a coding agent." }],
    tools: tools.schemas,
    middleware: [],
    limits: { turns: 50 },
  };
  const trace = recordTrace(folder, { clock: systemClock, micros, sync: false });
  const sandbox = createFixtureSandbox();
  const random = randomPort(1);
  const ports = { model, tools, sandbox, clock: systemClock, random, user: nobody, sink: trace, redact: (text: string) => text };
  const task = Math.floor(number / 2) % 40;
  const trial = { task: `task-${task}`, family: `family-${task % 10}`, configuration, repeat: Math.floor(number / 80) + 1 };
  const { outcome } = await runAgent(
    config,
    ports,
    { task: `Mend the program, number ${number}.` },
    { middleware: [], seed: number, meta: { trial } },
  );
  if (outcome.type !== "done") throw new Error(`The run that is to be analyzed ended as ${JSON.stringify(outcome)} instead of done.`);
  trace.evidence("verifier.result", { passed, rewards: { reward: passed ? 1 : 0 } });
  trace.seal(null);
}
