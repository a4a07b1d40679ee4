import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import Docker from "dockerode";
import { afterAll, describe, expect, it } from "vitest";
import type { BenchEvent } from "../../../evals/bench/bench-events.ts";
import { jobResultSchema } from "../../../evals/job/results/job-result.ts";
import type { SandboxKind } from "../../../harness/sandbox/sandbox.ts";
import { needs, sampled } from "../../needs.ts";
import type { ChildRequest } from "./bench-child.ts";
import { greet } from "../agents/agent-fixture.ts";
import { fixtureTask, removeScratch, scratch } from "../bench-fixture.ts";

afterAll(removeScratch);

/** Starts the bench and kills it with SIGKILL at the nth event of a kind; left out: lets it end. Answers the trials that were published. */
async function run(request: ChildRequest, kill?: { type: BenchEvent["type"]; nth: number }): Promise<string[]> {
  const child = spawn(
    process.execPath,
    ["node_modules/jiti/lib/jiti-cli.mjs", "test/evals/bench/bench-child.ts", JSON.stringify(request)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const published: string[] = [];
  let seen = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as BenchEvent; // our own child's
    if (event.type === "trial.end") published.push(`${event.trial.task} ${event.trial.configuration} ${event.trial.repeat}`);
    if (event.type === kill?.type && (seen += 1) === kill.nth) child.kill("SIGKILL");
  }
  expect(await ended).toBe(kill ? null : 0);
  return published;
}

const containersOf = (job: string) => new Docker().listContainers({ all: true, filters: { label: [`forge.job=${job}`] } });

const kills = [
  { type: "trial.start", nth: 1 },
  { type: "trial.end", nth: 2 },
  { type: "trial.start", nth: 1 },
] as const;
// test/faults/kill-job.test.ts kills one in Docker again and again, at random moments.
describe.each(sampled<SandboxKind>(["local", "docker"], ["local"]))("a bench in %s that is killed with SIGKILL", (kind) => {
  it.skipIf(kind !== "local" && needs(kind))(
    "finishes with the same command, counts every trial once, pays for none twice and leaves nothing running",
    { timeout: 180_000 },
    async () => {
      const tasks = await Promise.all(["one", "two"].map((name) => fixtureTask({ name, solve: "sleep 0.2; echo done > out.txt\n" })));
      const out = join(await scratch(), "job");
      const request: ChildRequest = { tasks: tasks.map(({ folder }) => folder), out, repeats: 1, sandbox: kind };
      const published: string[] = [];
      for (const kill of sampled(kills, kills.slice(1, 2))) published.push(...(await run(request, kill)));
      published.push(...(await run(request)));
      expect(new Set(published).size).toBe(published.length);

      const result = jobResultSchema.parse(JSON.parse(await readFile(join(out, "result.json"), "utf8")));
      expect(result).toMatchObject({ status: "finished", trials: 4, recorded: 4, unscored: 0 });
      expect(result.configurations.map(({ trials, passed }) => [trials, passed])).toEqual([
        [2, 2],
        [2, 2],
      ]);
      const sealed: string[] = [];
      for (const entry of await readdir(out, { recursive: true })) if (entry.endsWith("seal.json")) sealed.push(entry);
      expect(sealed.filter((path) => path.startsWith("trials/"))).toHaveLength(4);
      expect(sealed.filter((path) => path.startsWith("unfinished/"))).toHaveLength(0);
      if (kind === "docker") expect(await containersOf(result.job)).toEqual([]);
    },
  );
});

describe.skipIf(needs("docker"))("a bench of another agent that is killed with SIGKILL while one runs", () => {
  it("leaves containers to the next command, which finishes the job and leaves none", { timeout: 180_000 }, async () => {
    const out = join(await scratch(), "job");
    const request: ChildRequest = { tasks: [(await greet()).folder], out, repeats: 2, sandbox: "docker", other: true };
    const published = [...(await run(request, { type: "trial.step", nth: 2 })), ...(await run(request))];
    expect(new Set(published).size).toBe(2);
    const result = jobResultSchema.parse(JSON.parse(await readFile(join(out, "result.json"), "utf8")));
    expect(result).toMatchObject({ status: "finished", trials: 2, recorded: 2, unscored: 0 });
    expect(await containersOf(result.job)).toEqual([]);
  });
});
