import { nameFilter } from "../../harness/text/name-filter.ts";
import { ConfigError } from "../../harness/errors.ts";
import { plural } from "../../reports/text/format.ts";
import { nextSteps } from "../../reports/text/next-steps.ts";
import { wrapped } from "../../reports/text/wrapped.ts";
import { families } from "../../tasks/generated/families.ts";
import { levels, type Family } from "../../tasks/generated/family.ts";
import { generateTasks } from "../../tasks/generated/generate.ts";
import { interruptible } from "../shared/interruptible.ts";
import { namesListed } from "../shared/names-listed.ts";
import { oneOf } from "../shared/one-of.ts";
import type { GenerateFlags } from "./options.ts";

/** Above it a typing mistake would fill a disk. */
const mostSeeds = 10_000;

/** Carries out `forge task generate`; answers the exit code. */
export async function generateFromOptions(o: GenerateFlags): Promise<number> {
  const request = {
    families: familiesNamed(o.family),
    seeds: seedsOf(o.seeds),
    levels: o.level === undefined ? levels : [...new Set(o.level.flatMap(namesListed).map((level) => oneOf("--level", level, levels)))],
    out: o.out,
  };
  const live = process.stderr.isTTY && !o.json;
  const names = await interruptible(
    ({ stop }) =>
      generateTasks({
        ...request,
        signal: stop,
        onTask: (_, done, of) => void (live && done % 50 === 0 && process.stderr.write(`\r${done} of ${of} tasks`)),
      }),
    "nothing was written",
  ).finally(() => void (live && process.stderr.write("\r\u001B[K")));
  process.stdout.write(
    o.json
      ? `${JSON.stringify({ out: o.out, tasks: names })}\n`
      : `${plural(names.length, "task")} in ${o.out}\n${nextSteps([
          ["Check", `task check ${o.out}`],
          ["Measure", `bench ${o.out}`],
        ])}\n`,
  );
  return 0;
}

/** Carries out `forge task families`. */
export function listFamilies(json: boolean): void {
  const rows = families.map(({ name, split, tags, summary }) => ({ name, split, tags, summary }));
  if (json) {
    process.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  const [name, split] = (["name", "split"] as const).map((key) => Math.max(...rows.map((row) => row[key].length)) + 2);
  for (const row of [{ name: "family", split: "split", summary: "what it asks for" }, ...rows]) {
    const head = row.name.padEnd(name ?? 0) + row.split.padEnd(split ?? 0);
    process.stdout.write(`${head}${wrapped(row.summary, " ".repeat(head.length)).trimStart()}\n`);
  }
}

function familiesNamed(lists: readonly string[]): readonly Family[] {
  const asked = lists.flatMap(namesListed).map((name) => ({ name, fits: name === "all" ? () => true : nameFilter(name) }));
  const unknown = asked.find(({ fits }) => !families.some(({ name }) => fits(name)));
  if (unknown)
    throw new ConfigError(
      `--family: there is no family "${unknown.name}". Choose among ${families.map(({ name }) => name).join(", ")}, or all.`,
    );
  return families.filter(({ name }) => asked.some(({ fits }) => fits(name)));
}

function seedsOf(range: string): number[] {
  const [, first, last = first] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(range) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === undefined || to < from || to - from >= mostSeeds)
    throw new ConfigError(
      `--seeds: expected a whole number from 0 to 999999999, or a range of them such as 1..20, of at most ${mostSeeds} seeds, got "${range}".`,
    );
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
