import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { askRuns } from "../../../../traces/replay/corpus/ask-runs.ts";

/** The program of a thread that answers each run with its own limit of memory, in MB. */
const program = `
  import { parentPort, resourceLimits } from "node:worker_threads";
  parentPort.on("message", (run) => parentPort.postMessage({ run, text: String(resourceLimits.maxOldGenerationSizeMb) }));
`;
const worker = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
const here = (): Promise<never> => Promise.reject(new Error("A thread was to be asked."));

/** The limits of the threads in which so many runs are asked, each once. */
async function limitsOf(count: number): Promise<readonly string[]> {
  const runs = Array.from({ length: count }, (_, i) => `run ${i}`);
  const limits = new Set<string>();
  const answered: string[] = [];
  for await (const { run, answer } of askRuns(runs, "judge", {}, { apart: true, questions: { judge: here, dry: here }, worker })) {
    expect(answer.run).toBe(run);
    answered.push(run);
    limits.add(answer.text);
  }
  expect(answered).toEqual(runs);
  return [...limits];
}

it("answers in the order of the runs; the only thread may take what Node gives a program, each of several 2,000 MB", async () => {
  const alone = await limitsOf(1);
  expect(alone).not.toContain("2000");
  expect(await limitsOf(60)).toEqual(availableParallelism() > 1 ? ["2000"] : alone);
});
