import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { CannotError, ConfigError } from "../../harness/errors.ts";
import { makeFolder } from "../../harness/files/make-folder.ts";
import { writeWhole } from "../../harness/files/write-json.ts";
import { fileStem } from "../issues/draft-issues.ts";
import type { StoredIssue } from "../issues/stored-issue.ts";
import { configText, pathFrom } from "../proposals/base-config.ts";
import type { LeakCheck } from "./leak-check.ts";

/** A configuration's file as a bench would resolve it. The model's settings have no part in the hash. Throws ConfigError for one that is wrong. */
export type HashOf = (path: string, model: string) => Promise<Pick<ResolvedConfig, "hash" | "model">>;

export interface Acceptance {
  /** The user's own file of the configuration that was run; left out: it is rebuilt from the recording. */
  readonly base?: string | undefined;
  /** Folder for the files. */
  readonly out: string;
  /** Who accepts, and when in Unix milliseconds. */
  readonly by: string;
  readonly at: number;
  readonly leaks: LeakCheck;
  readonly hashOf: HashOf;
}

export interface Accepted {
  readonly issue: StoredIssue;
  /** What `--config` takes. */
  readonly base: string;
  readonly patch: string;
  readonly hashBefore: string;
  readonly hashAfter: string;
  /** The base has the harness hash that was recorded. */
  readonly exact: boolean;
}

/**
 * Writes the patch as a file beside its base, and records who accepted it, when, and the harness hash before and after.
 * @throws CannotError for a recommendation, ConfigError for a patch that leaks or changes nothing
 */
export async function acceptIssue(issue: StoredIssue, o: Acceptance): Promise<Accepted> {
  refuseLeaks(issue, o.leaks);
  const { change, base: recorded } = issue;
  if (change === null || recorded === null)
    throw new CannotError(
      `${issue.id} has no patch but a recommendation: ${issue.suggestion} Write one with forge issues edit ${issue.id} --patch FILE, or follow it yourself.`,
    );
  await makeFolder(o.out, "hold patches");
  const stem = fileStem(recorded.name);
  const base =
    o.base ?? (await writeBase(join(o.out, stem), configText(`${recorded.name}, rebuilt from its recorded runs`, recorded.file)));
  const patch = join(o.out, `${stem}-${issue.id}.yaml`);
  const text = configText(`${recorded.name}: ${issue.suggestion} (${issue.title})`, {
    extends: pathFrom(o.out, base),
    ...change,
  });
  await writeWhole(patch, text);
  const [before, after] = [await o.hashOf(base, recorded.model), await o.hashOf(patch, recorded.model)];
  const [hashBefore, hashAfter] = [before.hash, after.hash];
  if (hashBefore === hashAfter && JSON.stringify(before.model) === JSON.stringify(after.model)) {
    await rm(patch, { force: true });
    throw new ConfigError(
      `${patch} changes nothing of ${base}: both have the harness hash ${hashBefore.slice(0, 12)} and the same model settings. Edit the patch, or reject the issue.`,
    );
  }
  const event = { what: "accepted" as const, at: o.at, by: o.by, hashBefore, hashAfter, files: [base, patch] };
  const accepted: StoredIssue = { ...issue, status: "accepted", history: [...issue.history, event] };
  return { issue: accepted, base, patch, hashBefore, hashAfter, exact: hashBefore === recorded.hash };
}

function refuseLeaks({ id }: StoredIssue, { leaks }: LeakCheck): void {
  const [first] = leaks;
  if (!first) return;
  const more = leaks.length === 1 ? "" : ` (and ${leaks.length - 1} more)`;
  throw new ConfigError(
    `The patch of ${id} holds "${first.word}", a ${first.what} of the runs that it was found in${more}: it would help there alone. Take it out with forge issues edit ${id}.`,
  );
}

/** A file of this name with other content is left alone: the base gets another number. */
async function writeBase(stem: string, text: string): Promise<string> {
  for (let n = 1; ; n++) {
    const path = n === 1 ? `${stem}.yaml` : `${stem}-${n}.yaml`;
    if (existsSync(path) && (await readFile(path, "utf8")) !== text) continue;
    await writeWhole(path, text);
    return path;
  }
}
