/**
 * npm run demo:record: benches the demonstration's tasks with a real model and puts the sealed runs where `forge demo` reads them
 * (cli/demo/recorded.tar.gz). A model's server must be running; it takes an hour or more on two cores, and the same command goes on where it was stopped.
 * --model local/qwen2.5-coder-1.5b-instruct · --base-url http://127.0.0.1:8081/v1 · --sandbox docker · --repeats 3 · --out jobs/demo-recorded
 */
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { families } from "../tasks/generated/families.ts";
import type { Level } from "../tasks/generated/family.ts";
import { generateTasks } from "../tasks/generated/generate.ts";

/** Families that a small model passes now and again, told by their calibration (docs/results). */
const drawn: Readonly<Partial<Record<Level, readonly string[]>>> = {
  easy: ["group-totals", "json-reshape", "last-sentence", "log-answers", "pipeline", "planted-bug-python", "sql-report", "config-edit"],
  medium: ["build-fix", "failing-tests", "group-totals", "last-sentence", "log-answers", "pipeline", "planted-bug-shell", "json-reshape"],
};
const seed = 1;

const { values } = parseArgs({
  options: {
    model: { type: "string", default: "local/qwen2.5-coder-1.5b-instruct" },
    "base-url": { type: "string", default: "http://127.0.0.1:8081/v1" },
    sandbox: { type: "string", default: "docker" },
    repeats: { type: "string", default: "3" },
    out: { type: "string", default: join("jobs", "demo-recorded") },
  },
});
const root = resolve(import.meta.dirname, "..");
const out = resolve(values.out);
const demo = join(root, "cli", "demo");
const forge = (...args: string[]) =>
  execa(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], { cwd: root, stdio: "inherit" });

const tasks = join(out, "tasks");
if (!(await exists(tasks))) await drawTasks(tasks);
const arms = ["bare", "standard"].flatMap((name) => ["--config", join(demo, "recorded", `${name}-text.yaml`)]);
const model = ["--model", values.model, "--base-url", values["base-url"]];
const how = ["--repeats", values.repeats, "--sandbox", values.sandbox, "--mode", "hardened", "--jobs", "1"];
await forge("bench", tasks, ...arms, ...model, ...how, "--out", join(out, "job"));
const archive = join(out, "recorded.tar.gz");
await rm(archive, { force: true });
await forge("bench", "export", join(out, "job"), "--out", archive);
await rename(archive, join(demo, "recorded.tar.gz"));
await forge("demo", "--out", join(out, "shown"));

async function drawTasks(folder: string): Promise<void> {
  const parts = join(out, "parts");
  await rm(parts, { recursive: true, force: true });
  await mkdir(join(parts, "all"), { recursive: true });
  for (const [level, names] of Object.entries(drawn) as [Level, readonly string[]][]) {
    const own = families.filter(({ name }) => names.includes(name));
    const made = await generateTasks({ families: own, levels: [level], seeds: [seed], out: join(parts, level) });
    for (const name of made) await rename(join(parts, level, name), join(parts, "all", name));
  }
  await rename(join(parts, "all"), folder);
  await rm(parts, { recursive: true });
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
