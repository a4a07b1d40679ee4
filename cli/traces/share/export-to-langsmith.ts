import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ConfigError, ForgeError, messageOf } from "../../../harness/errors.ts";
import { prepareForgeFolder } from "../../../harness/sandbox/workspace/checkpoint.ts";
import { plural } from "../../../reports/text/format.ts";
import { jsonLine } from "../../../reports/text/json-line.ts";
import { oneLine, printable } from "../../../harness/text/printable.ts";
import { openExport } from "../../../traces/export/exported-run.ts";
import { langsmithOfRun } from "../../../traces/export/langsmith/langsmith-of-run.ts";
import { createLangSmithSender, type Acknowledged } from "../../../traces/export/langsmith/send-trees.ts";
import type { ExportFlags } from "./options.ts";
import { placedRuns } from "../../../traces/store/find-runs.ts";
import { langsmithPlace } from "../../../traces/export/langsmith/langsmith-place.ts";
import { redactorFor } from "../../../harness/secrets/redactor-for-environment.ts";
import { nameRuns, runName } from "../../../traces/read/run-name.ts";
import { sayTorn } from "../../shared/say-torn.ts";
import { sumOf, takenOutText } from "./taken-out-text.ts";

/** `forge traces export --format langsmith`: sends runs to a project; answers the exit code, the gravest of all runs. */
export async function exportToLangSmith(
  folders: readonly string[],
  o: ExportFlags & { readonly retries?: number },
  cwd = process.cwd(),
): Promise<number> {
  if (o.out !== undefined) throw new ConfigError("--out is for formats that are written into files; leave it out with --format langsmith.");
  const place = {
    ...langsmithPlace(process.env),
    project: o.project ?? process.env["LANGSMITH_PROJECT"] ?? "forge",
    ...(o.retries === undefined ? {} : { retries: o.retries }),
  };
  const runs = await placedRuns(folders);
  const acknowledged = acknowledgedIn(join(await prepareForgeFolder(cwd), "exports", "langsmith.txt"));
  const sender = await createLangSmithSender(place, o.force === true ? { ...acknowledged, has: () => false } : acknowledged);
  const where = `project ${place.project} of ${place.url}`;
  let exitCode = 0;
  let sent = 0;
  for (const { run } of runs) {
    let exported: Awaited<ReturnType<typeof openExport>>;
    try {
      exported = await openExport(run, (onFound) => redactorFor(process.env, { onFound }));
    } catch (error) {
      if (!(error instanceof ForgeError) || runs.length === 1) throw error;
      exitCode = Math.max(exitCode, error.exitCode);
      if (o.json) say({ type: "run", run: runName(run), format: "langsmith", exitCode: error.exitCode, text: nameRuns(messageOf(error)) });
      else process.stderr.write(`✗ ${oneLine(runName(run))}: ${printable(nameRuns(messageOf(error)))}\n`);
      continue;
    }
    const tree = langsmithOfRun(exported, place.project);
    const { batches, there, conflict } = await sender.send(tree); // a server that is gone is gone for the others too
    sent++;
    const [{ id }] = tree.runs;
    const { takenOut, torn } = exported;
    const nodes = tree.runs.length;
    if (o.json) {
      say({
        type: "run",
        run: runName(run),
        format: "langsmith",
        project: place.project,
        id,
        nodes,
        requests: batches,
        there,
        conflict,
        takenOut,
        torn,
        exitCode: 0,
      });
    } else {
      sayTorn(run, torn);
      const sentText = `${plural(nodes, "node")} sent`;
      const refused = `${conflict} of them and of the verdicts refused (409): the server keeps what it has under the same id`;
      const what = conflict > 0 ? `${sentText}, ${refused}` : batches === 0 ? "already exists" : sentText;
      process.stdout.write(`${oneLine(runName(run))}: ${what}, trace ${id}${sumOf(takenOut) > 0 ? `  (${takenOutText(takenOut)})` : ""}\n`);
    }
  }
  if (o.json) say({ type: "summary", runs: sent, failed: runs.length - sent, project: place.project });
  else process.stdout.write(`${sent} of ${plural(runs.length, "run")} in ${oneLine(where)}\n`);
  return exitCode;
}

const say = (value: unknown): void => void process.stdout.write(`${jsonLine(value)}\n`);

/** One digest a line. Several exports may write at once: a line is one write. */
function acknowledgedIn(path: string): Acknowledged {
  mkdirSync(dirname(path), { recursive: true });
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const known = new Set(text.split("\n"));
  if (text !== "" && !text.endsWith("\n")) appendFileSync(path, "\n"); // a write that a crash cut off
  return {
    has: (digest) => known.has(digest),
    add(digest) {
      if (known.has(digest)) return;
      known.add(digest);
      appendFileSync(path, `${digest}\n`);
    },
  };
}
