/**
 * Holds Forge to servers that refuse what OpenAI, Anthropic and Google document to refuse, over every wire: each model of the table must solve a demo task, in a
 * conversation with parallel calls, an image, a denied call, replies that are cut and messages of middleware, and be refused nothing. Build first, then
 * `npx jiti scripts/campaigns/strict-servers.ts`: one trial a model in processes, eight models a job, each job killed and resumed; `--wide`: every effort and
 * preset, inside this process, with tools that need no machine. `--forge PATH/dist/cli/main.js` takes another build. `--models REGEX --efforts a,b --presets
 * a,b` take a part; `--json` and `--markdown` print what was found, otherwise a table. Exit code 1 where something was refused or not solved.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { allRows } from "../../harness/models/families/find-row.ts";
import { plainTable } from "../../reports/text/lay-table.ts";
import { benchCases } from "./strict/bench-cases.ts";
import { type Case, efforts, type Found, presetNames } from "./strict/case.ts";
import { converse } from "./strict/converse.ts";
import { builtParts } from "./strict/forge-parts.ts";

const { values } = parseArgs({
  options: {
    forge: { type: "string", default: join(dirname(fileURLToPath(import.meta.url)), "../../dist/cli/main.js") },
    wide: { type: "boolean", default: false },
    models: { type: "string", default: "." },
    efforts: { type: "string" },
    presets: { type: "string" },
    lanes: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
const chosen = new RegExp(values.models);
const models = allRows().flatMap(([name]) => (chosen.test(name) ? [name] : []));
const split = (list: string | undefined, all: readonly string[]): readonly string[] => list?.split(",") ?? all;
const crossed = (model: string): Case[] =>
  split(values.presets, presetNames).flatMap((preset) => split(values.efforts, efforts).map((effort) => ({ model, effort, preset })));
/** One trial a model. */
const groups = (): Case[][] => {
  const cases = models.map((model) => ({ model, effort: values.efforts ?? "high", preset: values.presets ?? "standard@2" }));
  return Array.from({ length: Math.ceil(cases.length / 8) }, (_, at) => cases.slice(at * 8, at * 8 + 8));
};

if (!existsSync(values.forge)) throw new Error(`${values.forge} is not there; build first: npm run build`);
let done = 0;
const started = Date.now();
const hear = (found: readonly Found[]): void => {
  done += new Set(found.map(({ model }) => model)).size;
  const bad = found.filter((one) => !one.solved || one.refusals.length > 0).length;
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stderr.write(
    `${seconds} s, ${done} of ${models.length}: ${found.at(-1)?.model}, ${bad === 0 ? "holds" : `${bad} do not hold`}\n`,
  );
};
const all = values.wide ? await wide() : await narrowly();
const order = new Map(models.map((name, at) => [name, at]));
all.sort((a, b) => (order.get(a.model) ?? 0) - (order.get(b.model) ?? 0));

async function wide(): Promise<Found[]> {
  const parts = await builtParts(values.forge);
  const left = [...models];
  const found: Found[] = [];
  const lane = async (): Promise<void> => {
    for (let model = left.shift(); model !== undefined; model = left.shift()) {
      const some = await converse(crossed(model), parts);
      found.push(...some);
      hear(some);
    }
  };
  await Promise.all(Array.from({ length: Number(values.lanes) }, lane));
  return found;
}

async function narrowly(): Promise<Found[]> {
  return benchCases(groups(), { main: values.forge, lanes: Number(values.lanes), onFound: hear });
}

const heads = ["model", "solved", "refused", "sent as effort", "the provider's words"];
const rows = models.map((name) => {
  const own = all.filter((one) => one.model === name);
  const refused = own.filter((one) => one.refusals.length > 0);
  const words = [...new Set(own.flatMap((one) => (one.refusals.length > 0 ? one.refusals : one.why === undefined ? [] : [one.why])))];
  return [
    name,
    `${own.filter((one) => one.solved).length}/${own.length}`,
    String(refused.length),
    [...new Set(own.flatMap((one) => one.sent))].join(", "),
    words.join(" "),
  ];
});
if (values.json) for (const one of all) process.stdout.write(`${JSON.stringify(one)}\n`);
else if (values.markdown) process.stdout.write([heads, heads.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |\n`).join(""));
else process.stdout.write(`${plainTable(heads, rows, { left: true, most: Infinity })}\n`);
const solved = all.filter((one) => one.solved).length;
const refused = all.filter((one) => one.refusals.length > 0).length;
process.stderr.write(`${all.length} trials of ${models.length} models: ${solved} solved, ${refused} refused something\n`);
process.exitCode = solved === all.length && refused === 0 ? 0 : 1;
