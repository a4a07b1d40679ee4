import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createBenchPorts } from "../../assembly/create-bench-ports.ts";
import type { BenchPorts } from "../../evals/bench-ports.ts";
import type { BenchRequest } from "../../evals/bench/bench-request.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { harnessHash } from "../../harness/config/harness-hash.ts";
import { toolSchemas } from "../../harness/tools/tool-schemas.ts";
import { loadTask } from "../../tasks/formats/load-task.ts";
import type { Suite, Task } from "../../tasks/task.ts";

const made: string[] = [];
export async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "forge-evals-"));
  made.push(folder);
  return folder;
}
export async function removeScratch(): Promise<void> {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
}

export interface FixtureTask {
  readonly name?: string;
  /** Without it the task is an imported one: official mode. `false` leaves `[metadata.forge]` out. */
  readonly hardened?: boolean;
  /** Lines below `[metadata.forge]`. */
  readonly forge?: string;
  readonly test?: string;
  /** What the oracle does. */
  readonly solve?: string;
  readonly agentSeconds?: number;
  readonly verifierSeconds?: number;
  /** Files of the environment, copied to /app. */
  readonly files?: Readonly<Record<string, string>>;
  /** Lines below `[environment]`. */
  readonly limits?: string;
  /** Lines of the Dockerfile after the files. */
  readonly dockerfile?: string;
}

/** Passes when /app/out.txt says "done". Paths by variable, so that it runs in every kind of sandbox. */
export const checkOut = `
logs="\${FORGE_LOGS:-/logs}/verifier"; mkdir -p "$logs"
if [ "$(cat "\${FORGE_WORKDIR:-/app}/out.txt")" = done ]; then echo 1 > "$logs/reward.txt"; else echo 0 > "$logs/reward.txt"; fi`;

export async function fixtureTask(o: FixtureTask = {}): Promise<Task> {
  const folder = join(await scratch(), o.name ?? "write-out");
  const files: Record<string, string> = {
    "task.toml": `version = "1.0"
[metadata]
difficulty = "easy"
${o.hardened === false ? "" : `[metadata.forge]\nfamily = "fixture"\nsplit = "train"\nlocal = true\n${o.forge ?? ""}`}
[agent]
timeout_sec = ${(o.agentSeconds ?? 60).toFixed(1)}
[verifier]
timeout_sec = ${(o.verifierSeconds ?? 60).toFixed(1)}
[environment]
allow_internet = false
${o.limits ?? ""}
`,
    "instruction.md": 'Write "done" to out.txt.\n',
    "environment/Dockerfile": `FROM forge-base/debian:bookworm\nWORKDIR /app\nCOPY app/ ./\n${o.dockerfile ?? ""}`,
    "solution/solve.sh": o.solve ?? "echo done > out.txt\n",
    "tests/test.sh": `#!/bin/bash\n${o.test ?? checkOut}\n`,
    ...Object.fromEntries(Object.entries(o.files ?? { "in.txt": "in\n" }).map(([path, text]) => [`environment/app/${path}`, text])),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return loadTask(folder, { own: true });
}

export function suiteOf(...tasks: Task[]): Suite {
  return { name: "fixture", digest: "0".repeat(64), tasks };
}

export function fixtureConfig(name = "plain", change: Partial<ResolvedConfig> = {}): ResolvedConfig {
  const config = {
    model: { name: "sim/default", protocol: "native" as const, maxOutputTokens: 1000 },
    system: [{ name: "identity", text: "You are a coding agent." }],
    tools: toolSchemas(["bash"]),
    middleware: [],
    limits: { turns: 10 },
    ...change,
  };
  return { name, hash: harnessHash(config), ...config };
}

export const benchPorts = (): Promise<BenchPorts> => createBenchPorts({});

export async function fixtureRequest(tasks: Task[], change: Partial<BenchRequest> = {}): Promise<BenchRequest> {
  return {
    suite: suiteOf(...tasks),
    configurations: [fixtureConfig()],
    agent: "oracle",
    repeats: 1,
    sandbox: "local",
    asked: {},
    out: join(await scratch(), "job"),
    jobs: 2,
    ...change,
  };
}

/** Leaves a job's journal as older versions wrote it: without hashes of results. */
export async function tellNoHashes(job: string): Promise<void> {
  const journal = join(job, "journal.jsonl");
  await writeFile(journal, (await readFile(journal, "utf8")).replaceAll(/,"sha256":"\w+"/g, ""));
}
