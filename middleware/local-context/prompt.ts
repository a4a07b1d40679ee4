import type { Snapshot } from "./parse-snapshot.ts";

export const noContext = "no local context";
export const shortContext = "local context incomplete";

const heading = "Where you are (looked up by the harness, not by you):";

/** The message to the model, at most `maxBytes` bytes: the list of files gives way first, then later lines. */
export function contextMessage(facts: Snapshot, o: { readonly maxBytes: number; readonly entries: number }): string {
  const lines = [heading, ...factLines(facts)];
  const note = facts.complete ? [] : ["(The look-up was cut short: what is not listed may exist.)"];
  const budget = o.maxBytes - bytes(note.join("\n")) - 1;
  const files = fitting(facts.files.slice(0, o.entries), budget - bytes(lines.join("\n")) - bytes(filesHeading(0, 99_999)) - 2);
  if (files.length > 0) lines.push(filesHeading(files.length, facts.files.length), ...files);
  else if (facts.complete && facts.files.length === 0 && facts.cwd !== "/") lines.push("Files: none, the folder is empty.");
  return [...fitting(lines, budget), ...note].join("\n");
}

function factLines(facts: Snapshot): string[] {
  const line = (label: string, values: readonly string[]): string[] => (values.length > 0 ? [`${label}: ${values.join(", ")}`] : []);
  return [
    ...line("Working folder", facts.cwd === undefined ? [] : [facts.cwd]),
    ...gitLine(facts),
    ...line("Languages", languages(facts)),
    ...line("Package manager", facts.managers),
    ...line("Test command", facts.tests),
    ...line("Installed", facts.present),
    ...line("Not installed", facts.absent),
  ];
}

function gitLine({ git, dirty, commits }: Snapshot): string[] {
  if (git === undefined || git === "none-installed") return [];
  if (git === "no") return ["Git: not a repository"];
  const changes = dirty === undefined ? "" : dirty === "0" ? ", clean" : `, ${dirty} uncommitted`;
  const last = commits.length > 0 ? `; last commits: ${commits.join(" | ")}` : "; no commits yet";
  return [`Git: branch ${git}${changes}${last}`];
}

const filesHeading = (shown: number, found: number): string => (shown < found ? `Files (${shown} shown, there are more):` : "Files:");

function languages({ extensions }: Snapshot): string[] {
  const counts = new Map<string, number>();
  for (const { name, files } of extensions) {
    const language = languageOf[name.toLowerCase()];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + files);
  }
  return [...counts].map(([language, files]) => `${language} (${files} ${files === 1 ? "file" : "files"})`);
}

/** As many of the lines, in order, as fit into the bytes, line ends counted. */
function fitting(lines: readonly string[], budget: number): string[] {
  const kept: string[] = [];
  let left = budget;
  for (const line of lines) {
    left -= bytes(line) + 1;
    if (left < 0) break;
    kept.push(line);
  }
  return kept;
}

const bytes = (text: string): number => new TextEncoder().encode(text).length;

const languageOf: Readonly<Record<string, string>> = {
  py: "Python",
  js: "JavaScript",
  mjs: "JavaScript",
  cjs: "JavaScript",
  jsx: "JavaScript",
  ts: "TypeScript",
  tsx: "TypeScript",
  go: "Go",
  rs: "Rust",
  java: "Java",
  kt: "Kotlin",
  c: "C",
  h: "C",
  cc: "C++",
  cpp: "C++",
  hpp: "C++",
  cs: "C#",
  rb: "Ruby",
  php: "PHP",
  pl: "Perl",
  lua: "Lua",
  sh: "shell",
  bash: "shell",
  sql: "SQL",
  html: "HTML",
  css: "CSS",
  scala: "Scala",
  swift: "Swift",
  ex: "Elixir",
  hs: "Haskell",
  ml: "OCaml",
  jl: "Julia",
};
