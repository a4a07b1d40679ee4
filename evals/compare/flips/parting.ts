import { z } from "zod";
import { canonicalJson } from "../../../harness/hash/canonical-json.ts";
import { loadTrace } from "../../../traces/read/load-trace.ts";
import type { TornTail } from "../../../traces/read/torn-tail.ts";
import { hasTrace } from "../../../traces/format/trace-files.ts";

/** One run at the step at which it leaves the other. */
export interface PartingSide {
  /** Of the reply in the trace; of the run's end where it said no more. */
  readonly seq: number;
  /** What the model says or calls there, shortened. */
  readonly says: string;
  /** Middleware that intervened since the last reply that both have in common. */
  readonly after: readonly string[];
}

/** The first step at which two runs of a task part. */
export interface Parting {
  /** From 1. */
  readonly turn: number;
  readonly a: PartingSide;
  readonly b: PartingSide;
}

type OnTorn = (folder: string, torn: TornTail) => void;

interface Reply extends PartingSide {
  readonly content: string;
}

const replySchema = z.looseObject({
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }),
  calls: z.array(z.looseObject({ name: z.string(), args: z.json() })).optional(),
});
const longestSaying = 100;

/**
 * The first reply of the model that differs between two runs, ids and thoughts left out: two configurations' requests differ from the start, what counts
 * is where they begin to act differently. Undefined where all replies are the same, or where a trace is missing or has no whole event. What a trace lost behind its
 * whole events is told through `onTorn`: the replies may part there.
 * @throws DamagedError for a trace that fails its hashes
 */
export async function partingOf(folderA: string, folderB: string, onTorn: OnTorn): Promise<Parting | undefined> {
  if (![folderA, folderB].every(hasTrace)) return undefined;
  const [a, b] = [await repliesOf(folderA, onTorn), await repliesOf(folderB, onTorn)];
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const [x, y] = [a[i], b[i]];
    if (x && y && x.content !== y.content) return { turn: i + 1, a: sideOf(x), b: sideOf(y) };
  }
  return undefined;
}

const sideOf = ({ seq, says, after }: Reply): PartingSide => ({ seq, says, after });

/** The main lane's replies, and the end as a last one. */
async function repliesOf(folder: string, onTorn: OnTorn): Promise<Reply[]> {
  const { events, torn } = await loadTrace(folder);
  if (torn) onTorn(folder, torn);
  const replies: Reply[] = [];
  let after: string[] = [];
  for (const [seq, event] of events.entries()) {
    if (event.t === "middleware" && typeof event.d["name"] === "string") after.push(event.d["name"]);
    if (event.lane !== "main") continue;
    if (event.t === "run.end") replies.push({ seq, content: "run.end", says: "ends", after: [...new Set(after)] });
    if (event.t !== "model.response") continue;
    const parsed = replySchema.safeParse(event.d);
    if (!parsed.success) continue;
    const { message, calls = [] } = parsed.data;
    const parts = message.content.filter(({ type }) => type !== "thinking").map(({ id: _, opaque: _block, ...part }) => part);
    const named = calls.map(({ name, args }) => ({ name, args }));
    replies.push({ seq, content: canonicalJson(z.json().parse([parts, named])), says: saying(parts), after: [...new Set(after)] });
    after = [];
  }
  return replies;
}

function saying(parts: readonly Record<string, unknown>[]): string {
  const calls = parts.filter((part) => part["type"] === "call");
  const text =
    calls.length > 0
      ? calls.map((part) => `${String(part["name"])} ${JSON.stringify(part["args"])}`).join("; ")
      : parts.map((part) => String(part["text"] ?? "")).join(" ");
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > longestSaying ? `${line.slice(0, longestSaying - 1)}…` : line;
}
