import { join } from "node:path";
import { CannotError, ForgeError, messageOf } from "../../../harness/errors.ts";
import { plural } from "../../../reports/text/format.ts";
import { jsonLine } from "../../../reports/text/json-line.ts";
import { oneLine, printable } from "../../../harness/text/printable.ts";
import { readerOf } from "../../../traces/import/readers.ts";
import { keepSession, type KeptSession } from "../../../traces/import/write/keep-session.ts";
import type { WrittenSession } from "../../../traces/import/write/write-session.ts";
import { folderName } from "../../../traces/store/folder-name.ts";
import { langsmithPlace } from "../../../traces/export/langsmith/langsmith-place.ts";
import { redactorFor } from "../../../harness/secrets/redactor-for-environment.ts";
import type { ImportFlags } from "./options.ts";

/**
 * Carries out `forge traces import`; answers the exit code: the gravest of all places.
 * @param o `retries`: of a service that does not answer; default 3
 */
export async function importRuns(places: readonly string[], o: ImportFlags & { readonly retries?: number }): Promise<number> {
  const counts = { imported: 0, replaced: 0, there: 0, failed: 0 };
  let exitCode = 0;
  const redact = redactorFor(process.env);
  const failed = (place: string, error: ForgeError): void => {
    counts.failed++;
    exitCode = Math.max(exitCode, error.exitCode);
    const text = redact(messageOf(error)); // it may quote the source
    if (o.json) say({ type: "place", place, exitCode: error.exitCode, text });
    else process.stderr.write(`✗ ${oneLine(place)}: ${printable(text)}\n`);
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
          const folder = join(o.out ?? join(".forge", "runs", `imported-${reader.format}`), folderName(session.name));
          const { written, replaced } = await keepSession(session, { folder, redact });
          counts[replaced ? "replaced" : written ? "imported" : "there"]++;
          const told = { run: folder, from: session.file, format: reader.format, new: written !== undefined, replaced: replaced ?? null };
          if (o.json) say({ type: "run", ...told, ...written });
          else process.stdout.write(`${oneLine(folder)}: ${written ? described(written) + replacedText(replaced) : "already exists"}\n`);
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
  else if (counts.imported + counts.replaced + counts.there + counts.failed > 1) {
    const again = counts.replaced > 0 ? `, ${counts.replaced} imported again` : "";
    process.stdout.write(
      `${plural(counts.imported, "run")} imported${again}, ${counts.there} were there already, ${counts.failed} failed\n`,
    );
  }
  return exitCode;
}

const say = (value: unknown): void => void process.stdout.write(`${jsonLine(value)}\n`);

const replacedText = (replaced: KeptSession["replaced"]): string =>
  replaced === undefined
    ? ""
    : replaced.why === "grown"
      ? `; its source has grown: it takes the place of the ${plural(replaced.events, "event")} imported before`
      : "; it takes the place of an import that was broken off";

function described({ turns, events, kept }: WrittenSession): string {
  const others = Object.entries(kept);
  const total = others.reduce((sum, [, count]) => sum + count, 0);
  const rest =
    total === 0
      ? ""
      : `; ${plural(total, "other record")} kept as notes (${others.map(([kind, count]) => `${oneLine(kind)} ${count}`).join(", ")})`;
  return `${plural(turns, "turn")}, ${plural(events, "event")}${rest}`;
}
