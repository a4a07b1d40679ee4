import { createHash } from "node:crypto";

/** A state of all files, and how it came to be. */
export interface Commit {
  /** Whole numbers: places in the list of commits, all before this one. */
  readonly parents: readonly number[];
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
  /** First name of who made it; small letters. */
  readonly who: string;
}

/** The first commit's second; each further one is an hour later, and all lie before the date at which tasks are solved. */
const begin = Date.UTC(2025, 10, 3, 9) / 1000;
const mode = (path: string, content: string): string => (path.endsWith(".sh") || content.startsWith("#!") ? "100755" : "100644");
const signature = ({ who }: Commit, at: number): string => {
  const name = who.charAt(0).toUpperCase() + who.slice(1);
  return `${name} <${who}@example.org> ${begin + at * 3600} +0000`;
};

/** The hashes that git gives these commits, in their order. */
export function commitIds(commits: readonly Commit[]): string[] {
  const ids: string[] = [];
  for (const [at, commit] of commits.entries()) {
    const who = signature(commit, at);
    const parents = commit.parents.map((parent) => `parent ${ids[parent]}\n`).join("");
    ids.push(
      hash(
        "commit",
        Buffer.from(`tree ${treeId(commit.files)}\n${parents}author ${who}\ncommitter ${who}\n\n${commit.message.trimEnd()}\n`),
      ),
    );
  }
  return ids;
}

/** The hash of a folder with these files. */
export function treeId(files: Readonly<Record<string, string>>): string {
  const folders: Record<string, Record<string, string>> = {};
  const entries: { name: string; sort: string; mode: string; id: string }[] = [];
  for (const [path, content] of Object.entries(files)) {
    const [name = "", ...rest] = path.split("/");
    if (rest.length > 0) (folders[name] ??= {})[rest.join("/")] = content;
    else entries.push({ name, sort: name, mode: mode(path, content), id: hash("blob", Buffer.from(content)) });
  }
  for (const [name, inside] of Object.entries(folders)) entries.push({ name, sort: `${name}/`, mode: "40000", id: treeId(inside) });
  entries.sort((a, b) => (a.sort < b.sort ? -1 : 1)); // folders as if their names ended with a slash
  return hash(
    "tree",
    Buffer.concat(entries.flatMap((entry) => [Buffer.from(`${entry.mode} ${entry.name}\0`), Buffer.from(entry.id, "hex")])),
  );
}

function hash(type: string, body: Buffer): string {
  return createHash("sha1").update(`${type} ${body.length}\0`).update(body).digest("hex");
}

/** What `git fast-import` reads to make these commits and branches: branch → place of its tip. */
function fastImport(commits: readonly Commit[], branches: Readonly<Record<string, number>>): string {
  const parts: string[] = [];
  for (const [at, commit] of commits.entries()) {
    const [first, ...others] = commit.parents;
    const before = first === undefined ? {} : (commits[first]?.files ?? {});
    if (first === undefined) parts.push("reset refs/heads/import\n");
    const who = signature(commit, at);
    parts.push(`commit refs/heads/import\nmark :${at + 1}\nauthor ${who}\ncommitter ${who}\n${data(`${commit.message.trimEnd()}\n`)}`);
    if (first !== undefined) parts.push(`from :${first + 1}\n`, ...others.map((parent) => `merge :${parent + 1}\n`));
    for (const path of Object.keys(before)) if (commit.files[path] === undefined) parts.push(`D ${path}\n`);
    for (const [path, content] of Object.entries(commit.files))
      if (before[path] !== content) parts.push(`M ${mode(path, content)} inline ${path}\n${data(content)}`);
    parts.push("\n");
  }
  for (const [branch, at] of Object.entries(branches)) parts.push(`reset refs/heads/${branch}\nfrom :${at + 1}\n\n`);
  return parts.join("");
}

const data = (content: string): string => `data ${Buffer.byteLength(content)}\n${content}\n`;

/** The files and the command by which a task's image gets this repository, with `main` checked out; `then` is shell that goes on from there. */
export function repositoryOf(
  commits: readonly Commit[],
  branches: Readonly<Record<string, number>>,
  then: readonly string[] = [],
): { app: Record<string, string>; build: string[] } {
  const steps = [
    "git init -q -b main",
    "git config user.name Ada",
    "git config user.email ada@example.org",
    "git config gc.auto 0", // what is lost stays until somebody finds it, whatever the date
    "git fast-import --quiet < .history/stream",
    "rm -rf .history .git/logs",
    "git branch -q -D import",
    "git reset -q --hard",
    ...then,
  ];
  return { app: { ".history/stream": fastImport(commits, branches) }, build: [steps.join(" && ")] };
}
