import { posix } from "node:path";
import { InfraError } from "../../../errors.ts";
import { systemProgramFolders, type ListedEntry, type SystemListing } from "./image-places.ts";
import type { Sandbox } from "../../sandbox.ts";
import { quote } from "../../shell/quote.ts";

/** One line each: a word that says what it is, and the answer. */
const configuration = `printf 'path %s\\n' "$PATH"; printf 'library %s\\n' "$LD_LIBRARY_PATH"; printf 'python %s\\n' "$PYTHONPATH"
while IFS=: read -r name word uid gid note home shell; do printf 'home %s\\n' "$home"; done < /etc/passwd
for home in /home/*; do [ -d "$home" ] && printf 'home %s\\n' "$home"; done
(IFS=:; for folder in $PATH; do find "$folder" -maxdepth 1 -type l -exec readlink -f {} + 2>/dev/null; done) | sort -u | sed 's/^/target /'`;
/** Whatever is not installed answers nothing. */
const interpreters = `perl -e 'print "perl $_\\n" for @INC' 2>/dev/null
ruby -e '$LOAD_PATH.each { |folder| puts "ruby " + folder }' 2>/dev/null
lua -e 'for folder in package.path:gmatch("([^;?]+)/%?%.lua") do print("lua " .. folder) end' 2>/dev/null
for words in 'gcc c' 'g++ c++' 'clang c' 'clang++ c++'; do
  set -- $words
  "$1" -E -v -x "$2" -o /dev/null /dev/null 2>&1 | sed -n -e "s,^ignoring nonexistent directory \\"\\(/.*\\)\\"\\$,$1 \\1,p" -e "s,^ \\(/[^ ]*\\)\\$,$1 \\1,p"
done`;

/** GNU's and busybox's tools alike; the mode in hexadecimal has the type in it. */
const list = (folders: readonly string[]): string => `find / -maxdepth 1 -exec stat -c '%f %u %g %n' {} +
for d in ${folders.map(quote).join(" ")}; do [ -d "$d" ] && [ ! -L "$d" ] && find "$d" -xdev -exec stat -c '%f %u %g %n' {} +; done
exit 0`;
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/root", "/home", "/var/lib/dpkg/info"];
const [typeBits, folderType, linkType] = [0o170000, 0o040000, 0o120000];

/** Reads what an image holds where it decides what programs do, in a sandbox of it that no agent has touched. */
export async function systemListing(untouched: Sandbox): Promise<SystemListing> {
  const said = await systemAnswers(untouched, true);
  const { path, targets, search, libraryPath, pythonPath, homes } = said;
  const folders = [...path, ...targets.map((target) => posix.dirname(target))].map((folder) =>
    /\/(s?bin|\.bin)$/.test(folder) ? posix.dirname(folder) : folder,
  );
  const more = [...folders, ...search.flat(), ...libraryPath, ...pythonPath, ...homes].filter(
    (folder) => !/^\/(proc|sys|dev|tmp|run)?(\/|$)/.test(folder),
  );
  const tops = withoutInner([...system, ...more]);
  const read = await untouched.exec(list(tops), { cwd: "/", maxBytes: 128 * 1024 * 1024, timeoutMs: 60_000 });
  const entries = new Map<string, ListedEntry>();
  for (const line of new TextDecoder().decode(read.stdout).split("\n")) {
    const [, bits, uid, gid, name] = /^([0-9a-f]+) (\d+) (\d+) (\/.*)$/.exec(line) ?? [];
    if (bits === undefined || name === undefined) continue;
    const mode = Number.parseInt(bits, 16);
    const kind = mode & typeBits;
    entries.set(name.replace(/^\/\//, "/"), {
      type: kind === folderType ? "d" : kind === linkType ? "l" : "f",
      mode: mode & 0o7777,
      uid: Number(uid),
      gid: Number(gid),
    });
  }
  if (!entries.has("/etc") || read.dropped > 0)
    throw new InfraError("What the image holds could not be listed; verification in hardened mode needs find and stat there.");
  return { entries, ...said };
}

/** What the image's configuration, its accounts and its links say; with `all`, its interpreters and compilers, too. */
export async function systemAnswers(untouched: Sandbox, all: boolean): Promise<Omit<SystemListing, "entries">> {
  const script = `${configuration}\n${all ? interpreters : ""}\nexit 0`;
  const { stdout } = await untouched.exec(script, { cwd: "/", maxBytes: 16 * 1024 * 1024, timeoutMs: 60_000 });
  const answers = new Map<string, string[]>();
  for (const line of new TextDecoder().decode(stdout).split("\n")) {
    const [, word, rest] = /^(\S+) (.*)$/.exec(line) ?? [];
    if (word === undefined || rest === undefined) continue;
    const folders = answers.get(word) ?? [];
    answers.set(word, folders);
    folders.push(
      ...(/^(path|library|python)$/.test(word) ? rest.split(":") : [rest]).map(normal).filter((folder) => folder.startsWith("/")),
    );
  }
  const said = (word: string): string[] => [...new Set(answers.get(word))];
  return {
    path: [...new Set([...said("path"), ...systemProgramFolders])],
    homes: said("home"),
    // Of these, what the system's own folders do not hold anyway.
    targets: said("target").filter((target) => !/^\/(usr|bin|sbin|lib|etc)\//.test(target)),
    search: ["perl", "ruby", "lua", "gcc", "g++", "clang", "clang++"].map(said).filter((folders) => folders.length > 0),
    libraryPath: said("library"),
    pythonPath: said("python"),
  };
}

/** Without `..`, which compilers leave in, and without a slash at the end. */
const normal = (path: string): string => (path.startsWith("/") ? posix.resolve(path) : path);

function withoutInner(folders: readonly string[]): string[] {
  const all = [...new Set(folders)].filter((folder) => folder !== "/");
  return all.filter((folder) => !all.some((other) => folder.startsWith(`${other}/`)));
}
