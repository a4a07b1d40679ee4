import { existsSync } from "node:fs";
import { join } from "node:path";
import { CannotError, ConfigError, ForgeError, messageOf } from "../harness/errors.ts";
import { hashFile } from "../harness/events/hash-file.ts";
import { plural } from "../reports/terminal/format.ts";
import { jsonLine } from "../reports/terminal/json-line.ts";
import { oneLine, printable } from "../reports/terminal/printable.ts";
import { readerOf } from "../traces/import/readers.ts";
import type { ImportedSession } from "../traces/import/imported-session.ts";
import { writeSession, type WrittenSession } from "../traces/import/write-session.ts";
import { importedDigest } from "../traces/read/imported.ts";
import { folderName } from "./folder-name.ts";
import { langsmithPlace } from "./langsmith-place.ts";
import { redactorFor } from "./redactor-for.ts";

export interface ImportFlags {
  readonly format?: string;
  readonly out?: string;
  readonly json?: boolean;
  /** Of a service that does not answer; default 3. */
  readonly retries?: number;
}

/** Carries out `forge traces import`; answers the exit code: the gravest of all places. */
export async function importRuns(places: readonly string[], o: ImportFlags): Promise<number> {
  const counts = { imported: 0, there: 0, failed: 0 };
  let exitCode = 0;
  const failed = (place: string, error: ForgeError): void => {
    counts.failed++;
    exitCode = Math.max(exitCode, error.exitCode);
    if (o.json) say({ type: "place", place, exitCode: error.exitCode, text: messageOf(error) });
    else process.stderr.write(`✗ ${oneLine(place)}: ${printable(messageOf(error))}\n`);
  };
  for (const place of places) {
    try {
      const reader = await readerOf(place, o.format, () => ({
        ...langsmithPlace(process.env),
        ...(o.retries === undefined ? {} : { retries: o.retries }),
      }));
      let found = 0;
      for await (const session of reader.read(place)) {
        found++;
        if (session instanceof ForgeError) {
          failed(place, session);
          continue;
        }
        try {
          const { folder, written } = await keep(session, o.out ?? join(".forge", "runs", `imported-${reader.format}`));
          counts[written ? "imported" : "there"]++;
          if (o.json) say({ type: "run", run: folder, from: session.file, format: reader.format, new: written !== undefined, ...written });
          else process.stdout.write(`${oneLine(folder)}: ${written ? described(written) : "is there already"}\n`);
        } catch (error) {
          if (!(error instanceof ForgeError)) throw error;
          failed(session.file, error);
        }
      }
      if (found === 0) throw new CannotError(`${place} holds no run that the reader for ${reader.format} knows.`);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      failed(place, error);
    }
  }
  if (o.json) say({ type: "summary", ...counts });
  else if (counts.imported + counts.there + counts.failed > 1)
    process.stdout.write(`${plural(counts.imported, "run")} imported, ${counts.there} were there already, ${counts.failed} failed\n`);
  return exitCode;
}

const say = (value: unknown): void => void process.stdout.write(`${jsonLine(value)}\n`);

/** The same run is imported once. Throws `ConfigError` where another one has its folder. */
async function keep(session: ImportedSession, out: string): Promise<{ folder: string; written?: WrittenSession }> {
  const folder = join(out, folderName(session.name));
  const digest = session.digest ?? (await hashFile(session.file)).sha256;
  if (existsSync(folder)) {
    if ((await importedDigest(folder)) === digest) return { folder };
    throw new ConfigError(`${folder} is there already and is another run; name another folder with --out, or remove it.`);
  }
  return { folder, written: await writeSession(session, { folder, sha256: digest, redact: redactorFor(process.env) }) };
}

function described({ turns, events, kept }: WrittenSession): string {
  const others = Object.entries(kept);
  const total = others.reduce((sum, [, count]) => sum + count, 0);
  const rest =
    total === 0
      ? ""
      : `; ${plural(total, "other record")} kept as notes (${others.map(([kind, count]) => `${oneLine(kind)} ${count}`).join(", ")})`;
  return `${plural(turns, "turn")}, ${plural(events, "event")}${rest}`;
}
