import { homedir } from "node:os";
import { resolve } from "node:path";

/** Words looked at in one call, folders it may be in, and paths in all: what is longer is no call that a person's agent makes. */
const bounds = { words: 200, moves: 100, folders: 32, paths: 2_000 };
const envFile = /\.(?:env(?:rc)?|flaskenv)(?:\.[\w-]+)*(?![\w-])/g;
const move = /(?<![\w./-])(?:cd|pushd|-C)(?![\w./-])((?:[ \t]+-[LPen@-]+)*)(?:[ \t]+((?:"[^"\n]*"|'[^'\n]*'|[^\s;|&()<>`"'])+))?/g;
/** What a shell puts its folders in for, with the quotes around it: `"$PWD"/../.env` is one word. */
const here = /"?(?:\$PWD\b|\$\{PWD\}|\$\(pwd\)|`pwd`)"?/g;
const home = /"?(?:\$HOME\b|\$\{HOME\})"?/g;

/**
 * The `.env` files that a call's arguments name, as paths of this machine: from the run's folder, and from each that the call may be in by then (its
 * `workdir`, `cd`, `pushd`, `-C`). Where a shell would be is not worked out, so more paths are answered than the call will touch.
 */
export function envFilesNamed(args: unknown, folder: string): string[] {
  const texts = textsIn(args);
  const all = texts.map(({ text }) => text).join("\n");
  if (all.search(envFile) === -1) return [];
  const folders = new Set([folder]);
  for (const { key, text } of texts) if (key === "workdir" || key === "cwd") folders.add(absolute(text, folder));
  for (const [, , to = "~"] of [...all.matchAll(move)].slice(0, bounds.moves)) {
    // the first is the run's own, the last the one that all moves before lead to
    const known = [...folders];
    const from = known.length > bounds.folders ? [...known.slice(0, bounds.folders / 2), ...known.slice(-bounds.folders / 2)] : known;
    for (const one of from) folders.add(absolute(to, one));
  }
  const words = wordsOf(all.replaceAll(here, "\0"));
  const paths = new Set<string>();
  for (const one of folders) {
    for (const word of words) {
      if (paths.size >= bounds.paths) return [...paths];
      paths.add(absolute(word.split("\0").join(one), one));
    }
  }
  return [...paths];
}

function wordsOf(text: string): string[] {
  const told = text.replaceAll(home, () => homedir());
  return [...told.matchAll(envFile)].slice(0, bounds.words).map(({ 0: end, index }) => {
    // looked for from its end, where it is rare: from its beginning a long text without spaces would be read once for each of its letters
    let from = index;
    while (from > 0 && index - from < 4096 && !/[\s"'`;|&<>()=,\\]/.test(told.charAt(from - 1))) from--;
    return told.slice(from, index) + end;
  });
}

function absolute(path: string, folder: string): string {
  const plain = path
    .replaceAll(here, () => folder)
    .replaceAll(home, () => homedir())
    .replaceAll(/["']/g, "");
  return resolve(folder, plain === "~" || plain.startsWith("~/") ? `${homedir()}${plain.slice(1)}` : plain);
}

/** Every text of the arguments, with the name it stands under. */
function textsIn(value: unknown, key = ""): { key: string; text: string }[] {
  if (typeof value === "string") return [{ key, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, name));
}
