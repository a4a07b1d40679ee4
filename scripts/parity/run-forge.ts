import { readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { glob } from "tinyglobby";
import { z } from "zod";
import { digestFolder } from "../../tasks/formats/digest-folder.ts";
import type { CellResult } from "./agreement.ts";
import type { EndState } from "./end-states.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const recordSchema = z.looseObject({
  class: z.string(),
  rewards: z.record(z.string(), z.number()).nullable(),
  error: z.string().optional(),
});
type Record = z.infer<typeof recordSchema>;

/** How `forge` is started: the words of its command, and what stands for it in the keys of finished cells. */
export interface ForgeCommand {
  readonly words: readonly string[];
  readonly digest: string;
  /** Variables of the environment that tasks may read. */
  readonly taskEnv: readonly string[];
}

/**
 * Forge as its sources stand on this disk, or a built one: the path of its `dist/cli/main.js`, which starts sooner. Another Forge, or an edited
 * one, runs its cells again.
 */
export async function forgeCommand(built: string | undefined, taskEnv: readonly string[]): Promise<ForgeCommand> {
  const more = taskEnv.map((name) => ` ${name}`).join("");
  if (built !== undefined) return { words: [built], digest: `${await digestFolder(dirname(dirname(resolve(built))))}${more}`, taskEnv };
  const digests = await Promise.all(
    ["harness", "tasks/formats", "evals", "analyzer", "assembly", "cli"].map((folder) => digestFolder(join(root, folder))),
  );
  const words = [join(root, "node_modules", "jiti", "lib", "jiti-cli.mjs"), join(root, "cli", "main.ts")];
  return { words, digest: `${digests.join(" ")}${more}`, taskEnv };
}

/** One cell by `forge bench --mode official`, as a person would start it. `work` is the job's folder; rebuilt. */
export async function runForge(
  forge: ForgeCommand,
  folder: string,
  agent: EndState["agent"],
  work: string,
  signal: AbortSignal,
): Promise<CellResult> {
  await rm(work, { recursive: true, force: true });
  const flags = ["--agent", agent, "--mode", "official", "--sandbox", "docker", "--jobs", "1", "--out", work, "--json"].concat(
    forge.taskEnv.flatMap((name) => ["--task-env", name]),
  );
  const ran = await execa(process.execPath, [...forge.words, "bench", folder, ...flags], {
    cwd: root,
    reject: false,
    cancelSignal: signal,
    gracefulCancel: false,
    forceKillAfterDelay: 60_000,
  });
  signal.throwIfAborted();
  const record = await onlyRecord(work);
  if (record === undefined) return { type: "not-run", why: lastLine(ran.stderr) };
  if (!["passed", "agent", "verifier"].includes(record.class))
    return { type: "not-run", why: `${record.class}: ${record.error ?? "no reason given"}` };
  return { type: "judged", rewards: record.rewards, ...(record.error === undefined ? {} : { note: record.error }) };
}

/** A trial's result lies three folders down: task, configuration, repeat. */
async function onlyRecord(work: string): Promise<Record | undefined> {
  const [file] = await glob("trials/*/*/*/result.json", { cwd: work, absolute: true, dot: true });
  return file === undefined ? undefined : recordSchema.parse(JSON.parse(await readFile(file, "utf8")));
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "it said nothing";
