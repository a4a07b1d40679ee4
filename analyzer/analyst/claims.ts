import { z } from "zod";
import type { JsonObject } from "../../harness/json.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { restore } from "../../harness/tools/observe/mark-untrusted.ts";
import { classOf, kinds, levers, type Lever } from "../contract.ts";
import { citable, isCited } from "../detectors/citation.ts";
import type { Fault } from "../detectors/find-faults.ts";
import type { AnalyzedRun } from "../runs/analyzed-run.ts";
import { meanings } from "./prompts/codebook.ts";

/** Of a run a model may name so many causes; more are dropped, and counted. */
const mostClaims = 3;
const mostQuote = 400;
const mostWhy = 400;

/** A claim as a model makes it: first what it saw, then what that is called. */
export const claimSchema = z.strictObject({
  seq: z.int().describe("number of the event"),
  quote: z.string().describe("copied from that event exactly, at least 20 characters"),
  why: z.string().describe("one sentence"),
  kind: z.enum(kinds),
  lever: z.enum(levers),
  confidence: z.enum(["low", "medium", "high"]),
});
export type Claim = z.infer<typeof claimSchema>;

/** The form of an answer in one call. */
export const answerSchema = z.strictObject({ findings: z.array(claimSchema) });

/** A form as JSON schema, for servers that hold a reply to it; without the bounds that some of them refuse. */
export function schemaOf(form: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(form, { io: "input" });
  return withoutBounds(schema) as JsonObject; // JSON Schema is plain JSON
}

/** Why a claim does not count. */
export const dropReasons = ["no such event", "quote not in the event", "kind or lever not in the list", "too many"] as const;
export type DropReason = (typeof dropReasons)[number];

export interface Claims {
  readonly faults: readonly Fault[];
  /** One word a claim that was dropped. */
  readonly dropped: readonly DropReason[];
}

/** Claims as findings: each citation is checked against the run itself, and what does not hold is dropped and counted. Whatever a model says can only end here. */
export function checkClaims(run: AnalyzedRun, claims: readonly unknown[]): Claims {
  const faults: Fault[] = [];
  const dropped: DropReason[] = [];
  for (const raw of claims) {
    const claim = readClaim(raw);
    if (!claim) dropped.push("kind or lever not in the list");
    else if (run.events[claim.seq]?.seq !== claim.seq) dropped.push("no such event");
    else {
      const quote = quotedIn(run, claim);
      if (quote === undefined) dropped.push("quote not in the event");
      else if (faults.length >= mostClaims) dropped.push("too many");
      else faults.push(faultOf(run, { ...claim, quote: quote.slice(0, mostQuote) }));
    }
  }
  return { faults, dropped };
}

/** The quote as the event has it. White space may differ, which models and outlines fold; of a quote over a cut its longest piece counts. Undefined: it is not there. */
function quotedIn(run: AnalyzedRun, { seq, quote }: Pick<Claim, "seq" | "quote">): string | undefined {
  const isThere = (one: string): boolean => isCited(run, { seq, quote: one });
  const event = run.events[seq];
  const exact = formsOf(quote).find(isThere);
  if (exact !== undefined || !event) return exact;
  const fields = citable(event);
  return formsOf(quote)
    .flatMap((form) => fields.flatMap((field) => folded(longestPiece(form)).exec(field)?.[0] ?? []))
    .find(isThere);
}

const longestPiece = (quote: string): string =>
  quote
    .slice(0, 10 * mostQuote)
    .split(/\[?… \d+ characters left out …\]?|…|\.{3}/)
    .toSorted((a, b) => b.trim().length - a.trim().length)[0] ?? "";

/** Finds a text whatever white space is between its words, a line's end written as two characters among it. */
const folded = (text: string): RegExp => {
  const words = text.split(/(?:\s|\\n)+/).filter((word) => word !== "");
  return new RegExp(words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("(?:\\s|\\\\n)+") || "(?!)");
};

/** A quote as it was given; and without what is not the run's: the line that the run was shown under, marks of harmless tags, space around it. */
function formsOf(quote: string): string[] {
  const own = quote.replace(/^(?:#{1,3} )?(?:seq \d+: )?(?:the model said|it called [\w.-]+|came back):?\n/, "");
  const called = own.replace(/^(?:(?:step \d+ )?\(?seq [\d, ]+\)?:? )?[\w.-]{1,40}: /, "");
  return [quote, own, restore(own), own.trim(), restore(own).trim(), restore(called).trim()];
}

/** A lever that is not in the list is none; a kind that is not in the list makes no finding. */
function readClaim(raw: unknown): (Omit<Claim, "lever"> & { readonly lever: Lever | null }) | undefined {
  const read = claimSchema.extend({ lever: z.enum(levers).nullable().catch(null) }).safeParse(raw);
  return read.data;
}

function faultOf(run: AnalyzedRun, { kind, seq, quote, why, lever, confidence }: NonNullable<ReturnType<typeof readClaim>>): Fault {
  return {
    run: run.name,
    kind,
    class: classOf[kind],
    detector: "analyst",
    seq,
    step: stepAt(run, seq),
    quote,
    why: oneLine(why).slice(0, mostWhy),
    source: "analyst",
    lever,
    confidence,
    mechanism: meanings[kind],
  };
}

/** The step that an event belongs to; null: to none. */
function stepAt(run: AnalyzedRun, seq: number): number | null {
  const own = run.steps.find((step) => step.seq === seq || step.resultSeq === seq);
  if (own) return own.step;
  const reply = run.replies.find((one) => one.seq === seq);
  if (reply) return reply.step;
  return seq === run.end.seq ? run.end.step : null;
}

/** The claims in a reply that should be one JSON object. Undefined: there is none. */
export function claimsIn(text: string): readonly unknown[] | undefined {
  const found = jsonIn(text, "findings")?.["findings"];
  return Array.isArray(found) ? found : undefined;
}

/** The JSON object with this key in a reply: models put words or a fence around it. */
export function jsonIn(text: string, key: string): Record<string, unknown> | undefined {
  const end = text.lastIndexOf("}") + 1;
  for (const start of [text.indexOf("{"), text.search(new RegExp(`\\{\\s*"${key}"`))]) {
    if (start < 0) continue;
    try {
      const value: unknown = JSON.parse(text.slice(start, end));
      if (typeof value === "object" && value !== null && Object.hasOwn(value, key)) return { ...value };
    } catch {
      // words around it: the next place
    }
  }
  return undefined;
}

/** Bounds of numbers and lengths, which not every server's grammar takes; they are checked here anyway. */
function withoutBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBounds);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key]) => !["minimum", "maximum", "maxItems", "minItems", "minLength", "maxLength"].includes(key),
  );
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutBounds(item)]));
}
