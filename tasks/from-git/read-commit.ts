import { ConfigError, CannotError } from "../../harness/errors.ts";
import { withoutSecret } from "../formats/dataset/git-source.ts";
import type { GitObjects } from "../scaffold/git-objects.ts";

/** What a change means for the tests. Paths are the repository's. */
export interface ChangedTests {
  /** Test files with a content after the change that they had not before. */
  readonly testsWritten: readonly string[];
  readonly testsRemoved: readonly string[];
  /** The same for files that say which tests are run, and how: a runner's settings. They are sources, too. */
  readonly settingsWritten: readonly string[];
  readonly settingsRemoved: readonly string[];
  /** All files but tests that are changed. */
  readonly sources: readonly string[];
  /** Test files after the change, changed or not. */
  readonly allTests: readonly string[];
  readonly allSettings: readonly string[];
}

/** A commit as a task is made of it. */
export interface CommitChange extends ChangedTests {
  readonly commit: string;
  readonly parent: string;
  /** Subject and body, without trailers. */
  readonly message: string;
}

/** Files in which pytest looks for its configuration. Of a project that does not use it, they are put back for nothing. */
export const settingsPattern = String.raw`(^|/)(conftest\.py|\.?pytest\.(ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml)$`;
const isSetting = (path: string): boolean => new RegExp(settingsPattern).test(path);

/**
 * Fetches a commit with its parent and says what it changes. Throws `CannotError` where git or the repository does not answer, `ConfigError` for a commit
 * of which no task can be made.
 * @param isTest which paths are tests
 */
export async function readCommit(
  git: GitObjects,
  { repository, revision, isTest }: { readonly repository: string; readonly revision: string; readonly isTest: (path: string) => boolean },
): Promise<CommitChange> {
  if (repository.startsWith("-") || revision.startsWith("-"))
    throw new ConfigError(`"${withoutSecret(repository)}" at "${revision}": neither a repository nor a commit begins with a dash.`);
  const place = `${withoutSecret(repository)}, commit ${revision}`;
  await git.bytes(["fetch", "--quiet", "--depth=2", "--no-tags", "--no-recurse-submodules", repository, revision]).catch(async () => {
    // Some servers give only what a branch or a tag names.
    const all = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
    await git.bytes(["fetch", "--quiet", "--no-recurse-submodules", repository, ...all]).catch((error: unknown) => {
      throw new CannotError(
        `${place}: git could not fetch it (${withoutSecret(reasonOf(error))}). Check the address, the commit and the network.`,
      );
    });
    const found = await git.text(["rev-parse", "--verify", "--quiet", `${revision}^{commit}`]).catch(() => {
      throw new ConfigError(`${place}: the repository has no such commit. Give one that it has.`);
    });
    await git.bytes(["update-ref", "FETCH_HEAD", found]);
  });
  const commit = await git.text(["rev-parse", "--verify", "FETCH_HEAD^{commit}"]);
  const [, parent, ...others] = (await git.text(["rev-list", "--parents", "-n", "1", commit])).split(" ");
  if (parent === undefined) throw new ConfigError(`${place}: it is the first commit, and there is no state before it. Choose a later one.`);
  if (others.length > 0) throw new ConfigError(`${place}: it merges ${others.length + 1} histories. Choose a commit with one parent.`);
  const { submodules, ...tests } = await changedTests(git, { from: parent, to: commit, isTest });
  if (submodules.length > 0)
    throw new ConfigError(`${place}: it changes the submodule ${submodules[0]}, which is another repository. Choose another commit.`);
  if (tests.testsWritten.length === 0)
    throw new ConfigError(`${place}: it changes no test, so nothing shows when it is done. Name its tests with --tests.`);
  if (tests.sources.length === 0)
    throw new ConfigError(
      `${place}: it changes nothing but tests (${tests.testsWritten[0]}, …), so there is nothing to do. Choose another commit.`,
    );
  return { commit, parent, message: withoutTrailers(await git.text(["log", "-1", "--format=%B", commit])), ...tests };
}

/** Compares two commits or trees. */
export async function changedTests(
  git: GitObjects,
  { from, to, isTest }: { readonly from: string; readonly to: string; readonly isTest: (path: string) => boolean },
): Promise<ChangedTests & { readonly submodules: readonly string[] }> {
  const changes = parseRaw(await git.bytes(["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to]));
  const tests = changes.filter(({ path }) => isTest(path));
  const settings = changes.filter(({ path }) => !isTest(path) && isSetting(path));
  const written = (some: typeof changes): string[] => some.filter(({ status }) => status !== "D").map(({ path }) => path);
  const removed = (some: typeof changes): string[] => some.filter(({ status }) => status === "D").map(({ path }) => path);
  const tree = (await git.bytes(["ls-tree", "-r", "-z", "--name-only", to])).toString("utf8").split("\0");
  return {
    testsWritten: written(tests),
    testsRemoved: removed(tests),
    settingsWritten: written(settings),
    settingsRemoved: removed(settings),
    sources: changes.filter(({ path }) => !isTest(path)).map(({ path }) => path),
    allTests: tree.filter((path) => path !== "" && isTest(path)),
    allSettings: tree.filter((path) => !isTest(path) && isSetting(path)),
    submodules: changes.filter(({ mode }) => mode === "160000").map(({ path }) => path),
  };
}

/** `:100644 100755 <sha> <sha> M\0path\0` … */
function parseRaw(raw: Buffer): { status: string; mode: string; path: string }[] {
  const parts = raw.toString("utf8").split("\0");
  const changes: { status: string; mode: string; path: string }[] = [];
  for (let i = 0; i + 1 < parts.length; i += 2) {
    const [before = "", after = "", , , status = ""] = (parts[i] ?? "").slice(1).split(" ");
    changes.push({ status, mode: after === "000000" ? before : after, path: parts[i + 1] ?? "" });
  }
  return changes;
}

/** Who signed and reviewed a change, and the number of its pull request, ask for nothing. */
function withoutTrailers(message: string): string {
  const [subject = "", ...body] = message.replaceAll("\r\n", "\n").split("\n");
  const kept = body.filter((one) => !/^([A-Z][\w-]*-by|Change-Id|Co-authored-by|\(cherry picked from)\b/.test(one));
  return [subject.replace(/\s*\(#\d+\)$/, ""), ...kept].join("\n").trim();
}

/** Paths that hold tests by the customs of most languages. */
export function looksLikeTest(path: string): boolean {
  const parts = path.split("/");
  const name = parts.pop() ?? "";
  if (parts.some((part) => /^(tests?|__tests__|specs?|testing|testdata)$/.test(part))) return true;
  return /^(test_.*|conftest)\.py$|_test\.(py|go|rb|exs?)$|[._-](test|spec)\.[cm]?[jt]sx?$|_spec\.rb$|Test\.(java|kt|php)$/.test(name);
}

function reasonOf(error: unknown): string {
  const stderr = error instanceof Error && "stderr" in error ? error.stderr : undefined;
  const told = (stderr instanceof Uint8Array ? Buffer.from(stderr).toString("utf8") : String(stderr ?? error)).trim().split("\n");
  const line = told.find((one) => /^(fatal|error):/.test(one)) ?? told.at(-1) ?? "";
  return line.replace(/^\w+: /, "").replace(/[.\s]+$/, "") || "no reason given";
}
