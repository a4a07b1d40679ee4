/** Longer commands are read so far: a file of a megabyte in a here-document names nothing new. */
const most = 40_000;

/** The bodies of here-documents taken out: they are text for a program, not commands. */
function withoutHeredocs(command: string): string {
  const kept: string[] = [];
  let ends: string | undefined;
  for (const line of command.split("\n")) {
    if (ends !== undefined) {
      if (line.trim() === ends) ends = undefined;
      continue;
    }
    kept.push(line);
    ends = /<<-?\s*\\?(['"]?)([A-Za-z_]\w{0,40})\1/.exec(line)?.[2];
  }
  return kept.join("\n");
}

const target = String.raw`["']?([\w./~+@-]{1,200})["']?`;
const redirect = new RegExp(String.raw`(?:^|[^<>&\d=\-])>{1,2}\s*${target}`, "g");
const tee = new RegExp(String.raw`\btee\s+(?:-a\s+)?${target}`, "g");
const sedInPlace = /\bsed\s+(?:-[A-Za-z]+\s+)*-i\b[^\n|;&]*/g;
const perlInPlace = /\bperl\s+-[a-z]*i[^\n|;&]*/g;
const moved = new RegExp(String.raw`\b(?:mv|cp)\s+(?:-\w+\s+)*\S{1,200}\s+${target}\s*(?=$|[\n;&|])`, "g");
const opened = /\bopen\(\s*(?:f|r)?["']([^"'\n]{1,200})["']\s*,\s*(?:mode\s*=\s*)?["'][wa]/g;
const written = /["']([^"'\n]{1,200})["']\)?\.write_text\(/g;
const nodeWrite = /writeFile(?:Sync)?\(\s*["'`]([^"'`\n]{1,200})["'`]/g;

/** Files that a shell command writes, as it names them: an approximation, since what it runs may write others. */
export function shellWrites(command: string): { readonly paths: readonly string[]; readonly whole: boolean } {
  const cut = command.slice(0, most);
  const shell = withoutHeredocs(cut);
  const whole = [...all(shell, redirect), ...all(shell, tee), ...all(cut, opened), ...all(cut, written), ...all(cut, nodeWrite)];
  const inPlace = [...shell.matchAll(sedInPlace), ...shell.matchAll(perlInPlace)].flatMap(([words]) => lastWord(words));
  const paths = [...whole, ...inPlace, ...all(shell, moved), ...patchedPaths(cut)].filter(isFile);
  return { paths: [...new Set(paths)], whole: whole.some(isFile) };
}

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, path = ""]) => (path === "" ? [] : [path]));
const lastWord = (words: string): string[] =>
  words
    .trim()
    .split(/\s+/)
    .slice(-1)
    .map((word) => word.replaceAll(/["']/g, ""));
const isFile = (path: string): boolean => !/^\/dev\/|^[-\d.]*$|^\/$/.test(path) && !path.endsWith("/");

/** Files of a patch in the form of Codex (`*** Update File:`) or of diff (`+++ b/…`). */
export const patchedPaths = (text: string): string[] =>
  [...text.matchAll(/^\s*(?:\*\*\* (?:Add|Update) File: |\+\+\+ b\/)([^\n]{1,300})$/gm)].map(([, path = ""]) => path.trim());
