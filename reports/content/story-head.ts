import type { JsonObject } from "../../harness/json.ts";
import { tornText, type TornTail } from "../../traces/read/torn-tail.ts";
import type { TurnSums } from "../../traces/read/turns.ts";
import { memberOf, textOf } from "./story-entry.ts";
import { count, dollars, duration, plural } from "../text/format.ts";
import { oneLine, printable } from "../../harness/text/printable.ts";

/** What stands above a run. All texts are of others and free of control characters; they are not escaped for any markup. */
export interface StoryHead {
  readonly title: string;
  /** How it ended, in a few words. */
  readonly verdict: string;
  /** null: nobody judged it. */
  readonly passed: boolean | null;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly task: string;
  readonly system: string;
}

/** The events that tell it: data of `run.start`, of the main lane's `run.end`, of the last verdict, and of the first request. */
export interface StoryParts {
  readonly start: JsonObject | undefined;
  readonly end: JsonObject | undefined;
  readonly verdict: JsonObject | undefined;
  readonly request: JsonObject | undefined;
  /** Unix milliseconds of the first event. */
  readonly begun: number | undefined;
  /** Hash of the first event. */
  readonly id: string;
  readonly state: "sealed" | "running" | "cut off";
  /** What was left out behind the last whole event. */
  readonly torn?: TornTail | null;
  readonly turns: readonly (TurnSums & { readonly turn: number })[];
}

export function storyHead({ start = {}, end, verdict, request, begun, id, state, torn, turns }: StoryParts): StoryHead {
  const config = memberOf(start, "config");
  const trial = memberOf(memberOf(start, "meta"), "trial");
  const task = textOf(memberOf(start, "input"), "task");
  const system = request?.["system"];
  const known = turns.every(({ costUsd }) => costUsd !== null);
  const sum = (of: "input" | "output" | "activeMs" | "costUsd"): number => turns.reduce((total, turn) => total + (turn[of] ?? 0), 0);
  const passed = typeof verdict?.["passed"] === "boolean" ? verdict["passed"] : null;
  const facts: [string, string][] = [
    ["Task", textOf(trial, "task")],
    ["Configuration", textOf(trial, "configuration") || textOf(config, "name")],
    ["Model", textOf(memberOf(config, "model"), "name")],
    ["Agent", agentOf(memberOf(config, "agent"))],
    ["Asked over", gatewayOf(memberOf(memberOf(start, "meta"), "gateway"))],
    ["Imported from", textOf(memberOf(memberOf(start, "meta"), "imported"), "format")],
    ["Begun", timeOf(begun)],
    ["Turns", String(turns.filter(({ turn }) => turn > 0).length)],
    ["Tokens", `${count(sum("input"))} in, ${count(sum("output"))} out`],
    ["Cost", dollars(known ? sum("costUsd") : null)],
    ["Active time", duration(sum("activeMs"))],
    ["Trace", `${id.slice(0, 16)}${state === "sealed" ? "" : state === "running" ? ", still going" : ", not sealed"}`],
    ["Left out", torn ? tornText(torn, { writing: state === "running" }) : ""],
  ];
  const how = end ? endOf(end) : state === "running" ? "still going" : "cut off, its process was ended";
  return {
    title: oneLine(textOf(trial, "task") || task.slice(0, 120)),
    verdict: passed === null ? how : `${passed ? "passed" : "failed"} (the agent's end: ${how})`,
    passed,
    facts: facts.flatMap(([name, value]) => (value === "" ? [] : [[name, oneLine(value)] as const])),
    task: printable(task),
    system: Array.isArray(system) ? printable(system.map((section) => textOf(section, "text")).join("\n\n")) : "",
  };
}

/** Another agent in the place of Forge's own: its name and version, or the command that starts it. */
function agentOf(agent: JsonObject): string {
  const name = textOf(agent, "name");
  const [first = ""] = textOf(agent, "command").trim().split("\n");
  return name === "command" ? first.slice(0, 120) : `${name} ${textOf(agent, "version")}`.trim();
}

/** What stood between an agent and its model: `anthropic-messages, passed on as it is`. */
const gatewayOf = (gateway: JsonObject): string => [textOf(gateway, "wire"), textOf(gateway, "upstream")].filter((word) => word !== "").join(", "); // prettier-ignore

/** A turn's sums in words. */
export const turnLine = (sums: TurnSums): string =>
  [
    `${count(sums.input)}/${count(sums.output)} tokens`,
    dollars(sums.costUsd),
    duration(sums.activeMs),
    ...(sums.calls > 0 ? [plural(sums.calls, "call")] : []),
    ...(sums.interventions > 0 ? [plural(sums.interventions, "intervention")] : []),
  ].join(", ");

function endOf(d: JsonObject): string {
  const outcome = memberOf(d, "outcome");
  return oneLine(["type", "limit", "kind", "reason", "message"].map((key) => textOf(outcome, key)).filter((word) => word !== "").join(" ")); // prettier-ignore
}

function timeOf(unixMs: number | undefined): string {
  const date = new Date(unixMs ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? "" : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
