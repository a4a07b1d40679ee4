import { plural } from "../../../harness/text/figures.ts";
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { CannotError, codeOf, ConfigError, messageOf } from "../../../harness/errors.ts";
import { importedStart, type ImportedStart } from "../../read/imported.ts";
import { isPinned } from "../../format/pin.ts";
import { replaceTrace } from "../../keep/replace-trace.ts";
import { readSeal } from "../../format/seal.ts";
import type { ImportedSession } from "../imported-session.ts";
import { partFolder } from "./part-folder.ts";
import { writeSession, type WrittenSession } from "./write-session.ts";

/** What was done with a run of another agent. */
export interface KeptSession {
  /** Undefined where the same was imported before. */
  readonly written?: WrittenSession;
  /** What was there of the same run: `grown`, its source says more or other things now; `broken off`, its import had not come to its end. */
  readonly replaced?: { readonly events: number; readonly why: "grown" | "broken off" };
}

/**
 * Keeps a run in its folder, once: what was imported of the same run before is replaced where its source has grown since, as that of a session that goes on.
 * It is written beside the folder and put in its place when it is whole, so an import that breaks off or fails leaves what was there.
 * @throws ConfigError where another run has the folder, or one that had more events; CannotError where that is pinned, or nothing can be written
 */
export async function keepSession(
  session: ImportedSession,
  { folder, redact }: { readonly folder: string; readonly redact: (text: string) => string },
): Promise<KeptSession> {
  const before = existsSync(folder) ? await beforeIn(folder) : undefined;
  if (before?.sealed === true && before.start.sha256 === session.digest) return {};
  if (before && isPinned(folder))
    throw new CannotError(
      `The source of ${folder} has grown since it was imported, and the run is pinned and stays; forge traces pin --undo lets it go.`,
    );
  const { part, aside } = partFolder(dirname(folder));
  const written = await writeSession(session, { folder: part, sha256: session.digest, redact });
  try {
    if (before) {
      await requireSameRun(folder, part, before, written.events);
      replaceTrace(folder, { part, aside });
    } else renameSync(part, folder);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    // another import of it came first
    if (!before && ["ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) return keepSession(session, { folder, redact });
    throw error instanceof Error && "syscall" in error ? new CannotError(`Cannot write ${folder}: ${messageOf(error)}.`) : error;
  }
  return before ? { written, replaced: { events: before.events, why: before.sealed ? "grown" : "broken off" } } : { written };
}

interface Before {
  readonly start: ImportedStart;
  readonly sealed: boolean;
  /** 0 without a seal. */
  readonly events: number;
}

async function beforeIn(folder: string): Promise<Before> {
  const start = await importedStart(folder);
  if (!start) throw other(folder);
  const seal = readSeal(folder);
  return { start, sealed: seal !== undefined, events: seal?.count ?? 0 };
}

async function requireSameRun(folder: string, part: string, { start, sealed, events }: Before, found: number): Promise<void> {
  const now = await importedStart(part);
  const same = now && start.identity !== "" && now.identity === start.identity && (start.task === '""' || now.task === start.task);
  if (!same) throw other(folder);
  if (sealed && found < events)
    throw new ConfigError(
      `${folder} has ${plural(events, "event")} of this run, and its source has only ${found} now; name another folder with --out, or remove it.`,
    );
}

const other = (folder: string): ConfigError =>
  new ConfigError(`${folder} already exists and is another run; name another folder with --out, or remove it.`);
