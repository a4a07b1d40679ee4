/**
 * Kills `forge improve` with SIGKILL at ten moments, each in an improvement of its own, and goes on: every trial of the screening and of the test must have
 * ended once, and the verdict must come. Build first, then `npx jiti scripts/campaigns/kill-improve.ts --sandbox bubblewrap`.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { campaign, type Scene, type Stage } from "./stage/campaign.ts";
import { leftInFolder } from "./stage/left-overs.ts";

/** Of three seeds of the one task for development in two arms, and of the one for the test. */
const trials = 8;
/** The verdict is withheld: the model is simulated. */
const withheld = 5;

const there = (file: string) => (out: string) => existsSync(join(out, file));
const ended = (count: number) => (out: string) => endings(out).length >= count;
const moments: Readonly<Record<string, (out: string) => boolean>> = {
  "the plan is written": there("plan.json"),
  "the screening has its tasks": there("screen/tasks"),
  "1 trial has ended": ended(1),
  "2 trials have ended": ended(2),
  "4 trials have ended": ended(4),
  "the screening's trials have ended": ended(6),
  "the change is frozen": there("freeze.json"),
  "the test's job is there": there("test/job"),
  "7 trials have ended": ended(7),
  "all trials have ended": ended(trials),
};

await campaign(async function* (stage) {
  const { folder, sandbox } = stage;
  writeFileSync(join(folder, "short.yaml"), "extends: bare\nlimits: {turns: 1}\n"); // every run ends at its first turn
  writeFileSync(join(folder, "longer.yaml"), "limits: {turns: 30}\n");
  for (const words of [
    "task generate --family sql-report,group-totals --seeds 1 --level easy --out tasks",
    `bench tasks --config short.yaml --model sim/perfect --sandbox ${sandbox} --out jobs/s`,
    "improve jobs/s --tasks tasks --test-seeds 1 --yes", // stops at its gate: there is a proposal now
    "issues edit 1 --patch longer.yaml",
    "issues accept 1",
  ])
    await forge(stage, words);
  for (const [name, reached] of Object.entries(moments)) yield await killed(stage, name, reached);
});

async function killed(stage: Stage, name: string, reached: (out: string) => boolean): Promise<Scene> {
  const out = name.replaceAll(/\W+/g, "-");
  const place = join(stage.folder, out);
  rmSync(join(stage.folder, ".forge/improvements/tests.jsonl"), { force: true }); // as if it were the first
  const words = `improve jobs/s --tasks tasks --test-seeds 1 --yes --out ${out}`;
  const first = await forge(stage, words, () => reached(place));
  const before = endings(place).length;
  const { code, stderr } = await forge(stage, words);
  const all = endings(place);
  return {
    done: `SIGKILL when ${name}`,
    classes: "",
    recovery: `${first.code === null ? "killed" : "ended by itself"} after ${before} of ${trials} trials, then ${all.length}, exit ${code}`,
    left: leftInFolder(stage.temporary),
    problems: [
      ...(code === withheld ? [] : [`exit code ${code}: ${stderr.slice(-300)}`]),
      ...(all.length === trials && new Set(all).size === trials ? [] : [`${all.length} endings of ${new Set(all).size} trials`]),
    ],
  };
}

/** The trials of an improvement's jobs that ended with a result, each as often as it did. */
function endings(out: string): string[] {
  return ["screen", "test"].flatMap((part) => {
    const journal = join(out, part, "job", "journal.jsonl");
    const whole = existsSync(journal) ? readFileSync(journal, "utf8").split("\n").slice(0, -1) : []; // the last may be half-written
    return whole
      .map((line) => JSON.parse(line) as Record<string, unknown>) // the command's own
      .filter(({ t }) => t === "attempt.end" || t === "attempt.found")
      .map(({ task, configuration, repeat }) => JSON.stringify([part, task, configuration, repeat]));
  });
}

/** `code` null: it was killed, as soon as `reached`. */
async function forge(
  { main, folder, temporary }: Stage,
  words: string,
  reached?: () => boolean,
): Promise<{ code: number | null; stderr: string }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, LANG: "C.UTF-8", TMPDIR: temporary };
  const child = spawn(process.execPath, [main, ...words.split(" ")], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  const look = setInterval(() => void (reached?.() && child.kill("SIGKILL")), 5);
  let stderr = "";
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearInterval(look);
  return { code, stderr: stderr.trim() };
}
