import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
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

/** Stands for Forge as it is on this disk, as far as it can change a reward: an edited Forge runs its cells again. */
export async function forgeDigest(): Promise<string> {
  const folders = ["harness", "tasks/formats", "evals", "cli"];
  return (await Promise.all(folders.map((folder) => digestFolder(join(root, folder))))).join(" ");
}

/** One cell by `forge bench --mode official`, as a person would start it. `work` is the job's folder; made anew. */
export async function runForge(folder: string, agent: EndState["agent"], work: string, signal: AbortSignal): Promise<CellResult> {
  await rm(work, { recursive: true, force: true });
  const cli = [join(root, "node_modules", "jiti", "lib", "jiti-cli.mjs"), join(root, "cli", "main.ts")];
  const flags = ["--agent", agent, "--mode", "official", "--sandbox", "docker", "--jobs", "1", "--out", work, "--json"];
  const ran = await execa(process.execPath, [...cli, "bench", folder, ...flags], {
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
