import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { ForgeError } from "../../../harness/errors.ts";
import { readSeal } from "../../../traces/format/seal.ts";
import { writerOf } from "../../../traces/format/writer-claim.ts";
import { memberOf, textOf } from "../../content/story-entry.ts";
import { storyHead, turnLine } from "../../content/story-head.ts";
import { duration } from "../../text/format.ts";
import { printable } from "../../../harness/text/printable.ts";
import type { EntryLine, Page, RunAnswer } from "../api.ts";
import type { Places } from "../places.ts";
import type { RunOutline } from "./run-outline.ts";

/** What stands above a run, and the marks of its strip. */
export function runAnswer(outline: RunOutline, places: Places): RunAnswer {
  const { folder, told } = outline;
  const job = places.jobOf(folder);
  const state = stateOf(folder);
  const turns = outline.turns.map(({ turn, entry, sums }) => ({ turn, entry, ...sums() }));
  const head = storyHead({
    start: told.start,
    end: told.end,
    verdict: told.verdict,
    request: told.request,
    begun: told.begun,
    id: told.id,
    state,
    torn: state === "running" ? null : outline.torn(), // a line that is half written comes with the next look
    turns,
  });
  return {
    ...head,
    task: head.task.slice(0, longest),
    system: head.system.slice(0, longest),
    place: places.of(folder),
    job: job === undefined ? null : places.of(job),
    taskName: textOf(memberOf(memberOf(told.start, "meta"), "trial"), "task"),
    state,
    entries: outline.entries.length,
    events: outline.events(),
    turns: turns.map((one) => ({
      turn: one.turn,
      entry: one.entry,
      line: turnLine(one),
      input: one.input,
      output: one.output,
      activeMs: one.activeMs,
      interventions: one.interventions,
    })),
    interventions: outline.interventions,
    damaged: outline.damaged() ?? null,
    verifier: ["stdout.txt", "stderr.txt"].flatMap((name) => {
      const text = beginning(join(folder, "verifier", name));
      return text === "" ? [] : [{ name, text }];
    }),
  };
}

/** Characters of a text that stands above a run. */
const longest = 100_000;

function stateOf(folder: string): RunAnswer["state"] {
  try {
    return readSeal(folder) ? "sealed" : writerOf(folder) ? "running" : "cut off";
  } catch (error) {
    if (error instanceof ForgeError) return "cut off"; // a seal that was changed is none
    throw error;
  }
}

/** The first 64 KiB of a text file; empty where there is none. */
function beginning(path: string): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const bytes = Buffer.alloc(64 * 1024);
    return printable(bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)).toString("utf8")).trimEnd();
  } finally {
    closeSync(file);
  }
}

/** Some of a run's entries. */
export function entryPage(outline: RunOutline, from: number, count: number): Page<EntryLine> {
  const first = new Map(outline.turns.map(({ turn, entry, sums }) => [entry, { turn, line: turnLine(sums()) }]));
  return {
    total: outline.entries.length,
    from,
    items: outline.entries.slice(from, from + count).map(({ where: _where, dt, result, ...entry }, i): EntryLine => {
      const begins = first.get(from + i);
      return {
        ...entry,
        index: from + i,
        at: duration(dt / 1000),
        ...(begins ? { turnLine: begins.turn === 0 ? "Before the first turn" : `Turn ${begins.turn} · ${begins.line}` } : {}),
        ...(result ? { result: { head: result.head, seq: result.seq, body: result.body } } : {}),
      };
    }),
  };
}
