/**
 * npm run demo:record: benches the demonstration's tasks with a real model and puts the sealed runs where `forge demo` reads them
 * (cli/demo/recorded.tar.gz). A model's server must be running; it takes half an hour to an hour on two cores, and run the same command again to resume.
 * --model local/qwen2.5-coder-1.5b-instruct · --base-url http://127.0.0.1:8081/v1 · --sandbox docker · --repeats 3 · --jobs 1 · --out jobs/demo-recorded
 */
import { access, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import { families } from "../tasks/generated/families.ts";
import { generateTasks } from "../tasks/generated/generate.ts";

/** Families of which a small model passes the easy level, told by their calibration (docs/results); of the next level it passes none. */
const drawn = [
  "build-fix",
  "config-edit",
  "failing-tests",
  "git-bisect",
  "git-merge",
  "git-restore",
  "group-totals",
  "json-reshape",
  "last-sentence",
  "log-answers",
  "module-spec",
  "pipeline",
  "planted-bug-python",
  "planted-bug-shell",
  "security-fix",
  "sql-report",
];
const seed = 1;

const { values } = parseArgs({
  options: {
    model: { type: "string", default: "local/qwen2.5-coder-1.5b-instruct" },
    "base-url": { type: "string", default: "http://127.0.0.1:8081/v1" },
    sandbox: { type: "string", default: "docker" },
    repeats: { type: "string", default: "3" },
    jobs: { type: "string", default: "1" },
    out: { type: "string", default: join("jobs", "demo-recorded") },
  },
});
const root = resolve(import.meta.dirname, "..");
const out = resolve(values.out);
const demo = join(root, "cli", "demo");
const forge = (...args: string[]) =>
  execa(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], { cwd: root, stdio: "inherit" });

const tasks = join(out, "tasks");
if (!(await exists(tasks)))
  await generateTasks({ families: families.filter(({ name }) => drawn.includes(name)), levels: ["easy"], seeds: [seed], out: tasks });
const arms = ["bare", "standard"].flatMap((name) => ["--config", join(demo, "recorded", `${name}-text.yaml`)]);
const model = ["--model", values.model, "--base-url", values["base-url"]];
const how = ["--repeats", values.repeats, "--sandbox", values.sandbox, "--mode", "hardened", "--jobs", values.jobs];
await forge("bench", tasks, ...arms, ...model, ...how, "--out", join(out, "job"));
const archive = join(out, "recorded.tar.gz");
await rm(archive, { force: true });
await forge("bench", "export", join(out, "job"), "--out", archive);
await rename(archive, join(demo, "recorded.tar.gz"));
await forge("demo", "--out", join(out, "shown"));

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
