/**
 * npx jiti scripts/demo-analyst.ts: records the analysis that `forge demo` shows, and packs its conversations (cli/demo/analyst.tar.gz). No model is asked: the
 * replies are written by hand below, after reading the demonstration's 18 failed runs, and go through the analyst's own loop, tools and checks.
 */
import { createWriteStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import tar from "tar-stream";
import { analyze } from "../analyzer/analysis/analyze.ts";
import type { Analyst } from "../analyzer/analyst/analyst.ts";
import type { Claim } from "../analyzer/analyst/claims.ts";
import { findSources } from "../analyzer/runs/find-sources.ts";
import { createRunReader, isLeftOut } from "../analyzer/runs/read-runs.ts";
import { converse } from "../assembly/analyst.ts";
import { configRegistry } from "../assembly/registry.ts";
import { packBytes } from "../harness/archive/pack-archive.ts";
import { sha256 } from "../harness/hash/sha256.ts";
import { createScriptedModel, type ScriptedReply } from "../harness/models/scripted/scripted-model.ts";
import { systemClock } from "../harness/system-ports.ts";

/** What a reader says of a run. `quote`: from there on to the end of its line. */
interface Written extends Omit<Claim, "confidence"> {
  readonly run: string;
  readonly step: number;
}
const call = '{"tool": "sed"';
const said = (run: string, rest: Omit<Written, "run">): Written => ({ run, ...rest });
const unread = (run: string, why: string): Written =>
  said(run, { step: 1, seq: 5, quote: call, why, kind: "malformed-call", lever: "tool-call-repair" });
const nothingDone = (run: string, step: number, seq: number, why: string): Written =>
  said(run, { step, seq, quote: "DONE", why, kind: "claimed-not-done", lever: "pre-completion-checklist" });

const readings: readonly Written[] = [
  unread("build-fix-easy-0001/standard-text/2", "Its only reply is a call of a tool named sed, which does not exist, in JSON that does not parse; it was taken for the answer and the run was over."),
  unread("build-fix-easy-0001/standard-text/3", "Its only reply calls sed as if it were a tool, with a list where an object belongs; nothing ran, and the reply was taken for the answer."),
  unread("config-edit-easy-0001/standard-text/2", "The substitution is in a call of a tool that does not exist, in JSON that does not parse; nothing ran, where one bash line with the same words could have."),
  said("config-edit-easy-0001/standard-text/3", { step: 2, seq: 10, quote: "There is no tool 'sed'. The tools are:", why: "Told which tools exist, it hands that sentence to another tool that does not exist instead of calling edit, and does so for the rest of the run.", kind: "repeated-call", lever: "loop-detection" }),
  said("failing-tests-easy-0001/standard-text/2", { step: 2, seq: 10, quote: "There is no tool 'sed'. The tools are:", why: "Told which tools exist, it echoes the sentence through a tool that does not exist; the substitution of its first call was never tried another way.", kind: "repeated-call", lever: "loop-detection" }),
  unread("failing-tests-easy-0001/standard-text/3", "The substitution is written as a call of a tool named sed, with an argument that has no value; nothing ran and nothing answered."),
  nothingDone("git-merge-easy-0001/standard-text/3", 2, 9, "After reading one file of notes it says DONE and repeats the task's sentences as if they were results; no git command was ever run."),
  nothingDone("json-reshape-easy-0001/standard-text/1", 2, 9, "It ran the program as it was, saw output without an error, and said DONE; the file that it was to mend was neither opened nor changed."),
  unread("json-reshape-easy-0001/standard-text/2", "It knew the fault, a price not multiplied by the pieces, and wrote the change as a call of a tool that does not exist, with quotes that break the JSON."),
  unread("last-sentence-easy-0001/standard-text/2", "It wrote its change as a call of a tool named sed with mixed quotes; nothing ran, and the call itself was taken for the answer."),
  unread("pipeline-easy-0001/standard-text/1", "One call of a tool that does not exist, in JSON without a key, and the run was over; clean_up.sh was never read."),
  said("planted-bug-python-easy-0001/standard-text/2", { step: 1, seq: 5, quote: "git clone https://github.com/user/repo.git", why: "It begins with a repository that does not exist and lists test commands without end, until the reply is cut; each further turn repeats the list.", kind: "reply-cut", lever: "output-budget" }),
  said("planted-bug-shell-easy-0001/standard-text/1", { step: 2, seq: 10, quote: "1\t01:00:00", why: "It took the line number that read prints for part of the file and wrote both over the example that it was given.", kind: "misread-output", lever: "edit-feedback" }),
  nothingDone("security-fix-easy-0001/bare-text/1", 2, 7, "It started the program once, which printed nothing, and said DONE; the unsafe file was neither opened nor changed."),
  nothingDone("security-fix-easy-0001/bare-text/2", 2, 7, "It started the program once without a request and said DONE; attack.txt, which shows the hole, was never read."),
  unread("security-fix-easy-0001/standard-text/1", "It knew where the check of the column belongs, and wrote it as a call of a tool named sed that nothing could read."),
  nothingDone("security-fix-easy-0001/standard-text/2", 3, 18, "Asked to run something before it finishes, it starts the unchanged program a second time and says DONE again; the check saw a run, not a repair."),
  said("security-fix-easy-0001/standard-text/3", { step: 1, seq: 6, quote: '{"tool": "edit"', why: "It put the JSON of an edit into a bash block, so the shell tried to run the JSON; all later turns send the same again.", kind: "malformed-call", lever: "tool-call-repair" }),
]; // prettier-ignore

const clusters = [
  { kind: "claimed-not-done", title: "It says DONE without changing the file it was to mend", means: "Finished although nothing that the task names was changed; not: a change that was wrong." },
  { kind: "repeated-call", title: "It answers an error by repeating the error's words as a call", means: "The sentence of an error comes back as a call of a tool that does not exist." },
]; // prettier-ignore

const name = "written-by-hand/reader";
const root = resolve(import.meta.dirname, "..");
const work = await mkdtemp(join(tmpdir(), "forge-demo-analyst-"));
const signal = new AbortController().signal;
const source = join(root, "cli", "demo", "recorded.tar.gz");

const byKey = new Map<string, { readonly written: Written; readonly quote: string }>();
const reader = createRunReader();
for (const place of await findSources([source], signal)) {
  const inspected = await reader.inspect(place);
  if (isLeftOut(inspected)) continue;
  const written = readings.find(({ run }) => inspected.name.includes(`/${run}/`));
  const run = written && (await reader.read(inspected));
  if (!run || isLeftOut(run)) continue;
  const event = JSON.stringify(run.events[written.seq]?.d ?? {});
  const at = event.indexOf(JSON.stringify(written.quote).slice(1, -1));
  if (at < 0) throw new Error(`${written.run}: event ${written.seq} has no ${written.quote}: ${event.slice(0, 400)}`);
  byKey.set(sha256(inspected.digest).slice(0, 16), { written, quote: quoteOf(textsOf(run.events[written.seq]?.d), written.quote) });
}

const analyst: Analyst = {
  model: { name, protocol: "native", maxOutputTokens: 2048 },
  form: "tools",
  windowTokens: 24_000,
  parallel: 1,
  maxCostUsd: undefined,
  priceOf: () => 0,
  confirm: async () => true,
  converse: (conversation) => {
    const script = scriptOf(
      conversation.config.name,
      conversation.task,
      String((conversation.meta["analyst"] as { question: string }).question),
    ); // as `ask` makes it
    return converse(createScriptedModel(script, { name: "reader", identity: { provider: "written-by-hand" } }), conversation);
  },
};
const { analysis, folder } = await analyze(
  { sources: [source], analyses: join(work, "analyses"), store: join(work, "issues") },
  { clock: systemClock, signal, presets: configRegistry.presets, analyst },
);
process.stdout.write(`${JSON.stringify(analysis.analyst, null, 1)}\n`);
const pack = tar.pack();
const written = pipeline(pack, createGzip({ level: 9 }), createWriteStream(join(root, "cli", "demo", "analyst.tar.gz")));
const conversations = join(folder, "analyst");
for (const path of (await filesIn(conversations)).toSorted()) await packBytes(pack, path, await readFile(join(conversations, path)));
pack.finalize();
await written;
await rm(work, { recursive: true });

function scriptOf(question: string, task: string, key: string): ScriptedReply[] {
  if (question === "analyst-clusters") {
    const lines = task.split("\n");
    const example = (kind: string): number => Number(/^\d+/.exec(lines.find((line) => line.includes(`. ${kind}: `)) ?? "1")?.[0]);
    return [{ text: JSON.stringify({ clusters: clusters.map(({ kind, title, means }) => ({ title, means, example: example(kind) })) }) }];
  }
  if (question === "analyst-belongs") {
    const finding = task.split("Finding:\n").at(-1) ?? "";
    return [{ text: JSON.stringify({ answers: clusters.map(({ kind }, i) => ({ cluster: i + 1, belongs: finding.startsWith(kind) })) }) }];
  }
  const found = byKey.get(key);
  if (!found) throw new Error(`nothing is written about the run of ${key}`);
  const { step, seq, why, kind, lever } = found.written;
  return [
    { text: "First the outline and what the tests said.", calls: [{ name: "run_outline", args: {} }, { name: "verifier_report", args: {} }] }, // prettier-ignore
    { text: `Step ${step} is where it went wrong, it seems; I read it.`, calls: [{ name: "run_read", args: { step } }] },
    { calls: [{ name: "submit_finding", args: { seq, quote: found.quote, why, kind, lever, confidence: "medium" } }] },
    { text: why },
  ];
}

/** The whole field where it is short, else from the quote's beginning to the end of its line. */
function quoteOf(texts: readonly string[], begin: string): string {
  const field = texts.find((text) => text.includes(begin)) ?? begin;
  if (field.length < 20) return field;
  const at = field.indexOf(begin);
  const line = field.slice(at, at + 160).split("\n")[0] ?? "";
  return line.length >= 20 ? line : field.slice(at, at + 160);
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

async function filesIn(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1));
}
