import { describeIssue, keyPath } from "../../../../harness/config/read/describe-issue.ts";
import { CannotError, DamagedError, messageOf } from "../../../../harness/errors.ts";
import type { Json, JsonObject } from "../../../../harness/json.ts";
import { listIn, member } from "../lenient-fields.ts";
import { parseJson } from "../session-files.ts";
import { stepsRunSchema } from "./steps-schema.ts";

/** Steps of one run: far beyond any agent. */
const mostSteps = 20_000;
/** Levels of a value: what is written walks down them. */
const deepest = 200;

/** A file's run, which fits the form. Throws `DamagedError` or, for what is too large, `CannotError`: a sentence with the place, the value and the cure. */
export function checkSteps(file: string, bytes: Buffer): JsonObject {
  const value = jsonOf(file, textOf(file, bytes));
  const deep = tooDeep(value);
  if (deep !== undefined)
    throw new DamagedError(`${file}: ${deep}: nested more than ${deepest} levels deep; make it flat, or leave it out.`);
  const steps = listIn(value, "steps");
  if (steps.length > mostSteps)
    throw new CannotError(`${file}: steps: ${steps.length} of them, and a run may have ${mostSteps}; make several runs of it.`);
  const issue = describeIssue(stepsRunSchema, value);
  if (issue) {
    const at = issue.path.length === 0 ? "" : `${keyPath(issue.path)}: `;
    throw new DamagedError(`${file}: ${at}${issue.clause}; forge traces import --help names the page of the form.`);
  }
  const numbers = steps.map((step) => Number(member(step, "i")));
  const odd = numbers.findIndex((i, at) => at > 0 && i <= (numbers[at - 1] ?? 0));
  if (odd > 0) {
    const same = numbers.indexOf(numbers[odd] ?? 0) < odd;
    const why = same ? `is the number of steps[${numbers.indexOf(numbers[odd] ?? 0)}] too` : `comes after ${numbers[odd - 1]}`;
    throw new DamagedError(`${file}: steps[${odd}].i: ${numbers[odd]} ${why}; number the steps upwards, each with a number of its own.`);
  }
  return value as JsonObject; // by the schema
}

function textOf(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const whole = Buffer.from(bytes.toString("utf8"), "utf8");
    const at = bytes.findIndex((byte, i) => byte !== whole[i]);
    throw new DamagedError(
      `${file}: byte ${at} (0x${(bytes[at] ?? 0).toString(16)}) is no UTF-8; write the file as UTF-8, as with iconv -t UTF-8.`,
    );
  }
}

function jsonOf(file: string, text: string): Json {
  try {
    return parseJson(text);
  } catch {
    const before = text.slice(0, firstWrong(text)).split("\n");
    const place = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
    const what =
      before.join("\n") === text
        ? "the file is cut off here"
        : `no JSON from ${JSON.stringify(text.slice(before.join("\n").length).slice(0, 20))} on`;
    throw new DamagedError(`${file}: ${place}: ${what}; write the run as one JSON object.`);
  }
}

/** Of a text that is no JSON: how much of it is the beginning of some. Not every message of JSON.parse has a position. */
function firstWrong(text: string): number {
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (mayGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function mayGoOn(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const [, position] = /at position (\d+)/.exec(messageOf(error)) ?? [];
    return position === undefined ? /end of JSON input/.test(messageOf(error)) : Number(position) >= text.length;
  }
}

/** Where a value is nested too deep. */
function tooDeep(value: Json): string | undefined {
  const ahead: { value: Json; depth: number; place: readonly (string | number)[] }[] = [{ value, depth: 0, place: [] }];
  for (let one = ahead.pop(); one !== undefined; one = ahead.pop()) {
    const { depth, place } = one;
    if (typeof one.value !== "object" || one.value === null) continue;
    if (depth > deepest) return keyPath(place);
    const named = (key: string | number): readonly (string | number)[] => (depth < 3 ? [...place, key] : place);
    if (Array.isArray(one.value)) one.value.forEach((item, i) => ahead.push({ value: item, depth: depth + 1, place: named(i) }));
    else for (const [key, item] of Object.entries(one.value)) ahead.push({ value: item, depth: depth + 1, place: named(key) });
  }
  return undefined;
}
