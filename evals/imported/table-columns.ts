import { ConfigError } from "../../harness/errors.ts";
import type { ImportedTrial } from "./imported-trial.ts";

/** What a column of a table can be, by the names under which it is found; the first that is there counts. */
const columns = {
  task: ["task", "task_id", "task_name", "instance_id", "sample"],
  arm: ["arm", "configuration", "config", "agent", "agent_run", "system"],
  model: ["model", "model_name"],
  repeat: ["repeat", "attempt", "epoch", "trial", "seed"],
  score: ["score", "reward", "resolved", "is_resolved", "passed", "success", "correct"],
  family: ["family"],
  category: ["category"],
  difficulty: ["difficulty"],
  digest: ["task_digest", "digest", "task_checksum"],
  tokensIn: ["tokens_in", "input_tokens", "n_input_tokens"],
  tokensOut: ["tokens_out", "output_tokens", "n_output_tokens"],
  tokensCached: ["tokens_cached", "cached_tokens", "n_cache_tokens"],
  cost: ["cost_usd", "cost"],
  seconds: ["seconds", "agent_seconds", "duration_seconds"],
  turns: ["turns", "steps"],
} as const;
type Column = keyof typeof columns;
type Cell = string | number | boolean | null | undefined;

/** Finds the columns of a table in its head. @throws ConfigError where there is no task, no score, or nothing to tell arms apart by */
export function readColumns(head: readonly string[], place: string): { at: (column: Column) => string | undefined } {
  const names = new Map<string, string>();
  let twice: string | undefined;
  for (const name of head) {
    const plain = name.trim().toLowerCase().replaceAll(/[ -]/g, "_");
    if (names.has(plain) && plain !== "") twice ??= name.trim();
    names.set(plain, name);
  }
  const at = (column: Column): string | undefined => {
    for (const name of columns[column]) if (names.has(name)) return names.get(name);
    return undefined;
  };
  const wants = (["task", "score"] as const).filter((column) => at(column) === undefined);
  if (wants.length > 0)
    throw new ConfigError(
      `${place}: there is no column ${wants.map((column) => `"${column}"`).join(" and none ")}; a table needs task and score, and may have arm, model, repeat, tokens_in, tokens_out, tokens_cached, cost_usd, seconds, turns, family, category, difficulty and task_digest. It has ${head.slice(0, 20).join(", ").slice(0, 200)}${wants.length === 2 ? ", which looks like a row: its first line must be the head, such as task,arm,repeat,score" : ""}.`,
    );
  if (twice !== undefined) throw new ConfigError(`${place}: there are two columns "${twice}"; leave one.`);
  return { at };
}

/**
 * A row as a trial. An empty score is a trial without one.
 * @param fallbackArm for a table whose rows name neither arm nor model
 * @throws ConfigError with line and column for a cell that is not what its column says
 */
export function rowTrial(cell: (column: Column) => Cell, place: string, fallbackArm: string): ImportedTrial {
  const text = (column: Column): string | null => {
    const value = cell(column);
    return value === undefined || value === null || value === "" ? null : String(value);
  };
  const wrong = (column: Column, wanted: string): ConfigError =>
    new ConfigError(`${place}: ${column} is "${String(cell(column) ?? "").slice(0, 60)}"; expected ${wanted}.`);
  const amount = (column: Column): number | null => {
    const value = text(column);
    if (value === null) return null;
    const number = Number(value);
    if (!Number.isFinite(number) || number < 0 || value.trim() === "") throw wrong(column, "a number of 0 or more, or an empty cell");
    return number;
  };
  /** Two names that differ in a space look alike in every table, and are two tasks or two arms. */
  const name = (column: Column): string | null => {
    const value = text(column);
    if (value !== null && value.trim() !== value) throw wrong(column, "a name without spaces around it");
    return value;
  };
  const given = text("task");
  if (given === null || given.trim() === "") throw wrong("task", "the name of a task");
  const task = name("task") ?? "";
  const model = name("model");
  const arm = name("arm");
  if (arm === null && cell("arm") !== undefined) throw wrong("arm", "the name of an arm, or no such column");
  const repeat = name("repeat");
  const seconds = amount("seconds");
  const digest = name("digest");
  return {
    task,
    taskDigest: digest === null ? null : `table ${digest}`,
    arm: arm ?? model ?? fallbackArm,
    model,
    repeat: repeat === null ? null : shortest(repeat),
    score: scoreOf(text("score"), () => wrong("score", "a number, true or false, or an empty cell for a trial without a score")),
    family: name("family"),
    category: name("category"),
    difficulty: name("difficulty"),
    tokensIn: amount("tokensIn"),
    tokensOut: amount("tokensOut"),
    tokensCached: amount("tokensCached"),
    costUsd: amount("cost"),
    activeMs: seconds === null ? null : seconds * 1000,
    turns: amount("turns"),
    place,
  };
}

/** A whole number takes less room than its digits; a million of them are kept. */
const shortest = (value: string): string | number => (/^\d{1,9}$/.test(value) && String(Number(value)) === value ? Number(value) : value);

function scoreOf(text: string | null, wrong: () => ConfigError): number | null {
  if (text === null) return null;
  const word = text.trim().toLowerCase();
  if (word === "true") return 1;
  if (word === "false") return 0;
  const number = Number(word);
  if (word === "" || !Number.isFinite(number)) throw wrong();
  return number;
}
