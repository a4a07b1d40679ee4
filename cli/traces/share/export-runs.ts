import { basename, extname, join, resolve } from "node:path";
import { ConfigError, ForgeError, messageOf } from "../../../harness/errors.ts";
import { jsonLine } from "../../../reports/text/json-line.ts";
import { plural } from "../../../reports/text/format.ts";
import { oneLine, printable } from "../../../harness/text/printable.ts";
import { openExport } from "../../../traces/export/exported-run.ts";
import { exportFormats, isExportFormat, type ExportFormat, type ExportedFiles } from "./export-formats.ts";
import { placedRuns } from "../../../traces/store/find-runs.ts";
import { redactorFor } from "../../../harness/secrets/redactor-for-environment.ts";
import { nameRuns, runName } from "../../../traces/read/run-name.ts";
import { sayTorn } from "../../shared/say-torn.ts";
import { sumOf, takenOutText } from "./taken-out-text.ts";
import { writeNew } from "./write-new.ts";
import type { ExportFlags } from "./options.ts";

/** Carries out `forge traces export`; answers the exit code: the gravest of all runs. */
export async function exportRuns(folders: readonly string[], o: ExportFlags): Promise<number> {
  const { format } = o;
  if (format === "langsmith") return (await import("./export-to-langsmith.ts")).exportToLangSmith(folders, o);
  if (!isExportFormat(format)) {
    const names = [...Object.keys(exportFormats), "langsmith"].join(", ");
    throw new ConfigError(`--format: there is no format ${JSON.stringify(format)}; give one of ${names}.`);
  }
  if (o.project !== undefined) throw new ConfigError(`--project is for --format langsmith; leave it out with --format ${format}.`);
  const targets = await targetsOf(folders);
  if (o.out === undefined) {
    if (targets.length > 1)
      throw new ConfigError(`${targets.length} runs do not fit into standard output; name a folder for them with --out.`);
    if (o.json) throw new ConfigError("--json reports what was written; name a place for it with --out.");
  }
  const written = { runs: 0, files: 0 };
  let exitCode = 0;
  for (const target of targets) {
    try {
      const run = await openExport(target.run, (onFound) => redactorFor(process.env, { onFound }));
      const files = await exportFormats[format].write(run);
      const places =
        o.out === undefined ? toStandardOutput(files) : await save(files, { ...o, format, out: o.out, target, only: targets.length === 1 });
      written.runs++;
      written.files += places.length;
      const took = takenOutText(run.takenOut);
      if (o.json) {
        say({ type: "run", run: runName(target.run), format, files: places, takenOut: run.takenOut, torn: run.torn, exitCode: 0 });
        continue;
      }
      sayTorn(target.run, run.torn);
      if (o.out !== undefined) process.stdout.write(`${oneLine(places[0] ?? "")}${sumOf(run.takenOut) > 0 ? `  (${took})` : ""}\n`);
      else if (sumOf(run.takenOut) > 0) process.stderr.write(`${took}\n`);
    } catch (error) {
      if (!(error instanceof ForgeError) || targets.length === 1) throw error;
      exitCode = Math.max(exitCode, error.exitCode);
      if (o.json)
        say({ type: "run", run: runName(target.run), format, files: [], exitCode: error.exitCode, text: nameRuns(messageOf(error)) });
      else process.stderr.write(`✗ ${oneLine(runName(target.run))}: ${printable(nameRuns(messageOf(error)))}\n`);
    }
  }
  if (o.json) say({ type: "summary", ...written, failed: targets.length - written.runs });
  else if (targets.length > 1) process.stdout.write(`${written.runs} of ${plural(targets.length, "run")} written\n`);
  return exitCode;
}

const say = (value: unknown): void => void process.stdout.write(`${jsonLine(value)}\n`);

interface Target {
  readonly run: string;
  /** Where it lies below the folder that was named; empty for that folder itself. */
  readonly place: string;
}

async function targetsOf(folders: readonly string[]): Promise<Target[]> {
  const runs = await placedRuns(folders);
  if (folders.length === 1) return runs.map(({ run, inside }) => ({ run, place: inside }));
  const names = distinctNames(new Set(runs.map(({ folder }) => folder)));
  return runs.map(({ run, folder, inside }) => ({ run, place: join(names.get(folder) ?? "", inside) }));
}

/** The last parts of folders' paths; of those that are alike the later ones with a number. */
function distinctNames(folders: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const folder of folders) {
    const name = basename(resolve(folder));
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}-${n}`;
    taken.add(free);
    names.set(folder, free);
  }
  return names;
}

function toStandardOutput(files: ExportedFiles): string[] {
  const [[, main] = ["", ""], ...others] = files;
  process.stdout.write(main);
  if (others.length > 0) process.stderr.write(`${plural(others.length, "image")} left out; name a folder with --out.\n`);
  return [];
}

async function save(
  files: ExportedFiles,
  o: { out: string; format: ExportFormat; target: Target; only: boolean; force?: boolean },
): Promise<string[]> {
  const [[name] = [""]] = files;
  const asFile = o.only && extname(o.out) === extname(name);
  const folder = asFile ? resolve(o.out, "..") : join(o.out, o.target.place);
  const places: string[] = [];
  for (const [path, content] of files) {
    const place = asFile && path === name ? o.out : join(folder, path);
    await writeNew(place, content, { option: "--out", force: o.force === true });
    places.push(place);
  }
  return places;
}
