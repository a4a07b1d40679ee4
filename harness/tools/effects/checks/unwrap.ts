/** Programs that run the words after them. Value: options of theirs that take a word of their own. */
const wrappers: Readonly<Record<string, readonly string[]>> = {
  env: ["-u", "--unset", "-C", "--chdir"],
  timeout: ["-k", "--kill-after", "-s", "--signal"],
  time: ["-f", "-o"],
  nice: ["-n", "--adjustment"],
  ionice: ["-c", "-n"],
  nohup: [],
  stdbuf: ["-i", "-o", "-e"],
  unbuffer: [],
  sudo: ["-u", "-g", "-C"],
  exec: ["-a"],
  command: [],
  builtin: [],
  setsid: [],
  "xvfb-run": ["-s", "-n"],
  npx: ["-p", "--package", "-w", "--workspace"],
  bunx: [],
};
/** `uv run pytest`: a program whose first words mean "run what follows". */
const runs: readonly (readonly string[])[] = [
  ["uv", "run"],
  ["poetry", "run"],
  ["pipenv", "run"],
  ["pdm", "run"],
  ["hatch", "run"],
  ["rye", "run"],
  ["bundle", "exec"],
  ["coverage", "run"],
];
const runOptions = ["--with", "--python", "-p", "--project", "--source", "--rcfile", "--extra", "--group"];
const assignment = /^[A-Za-z_]\w*\+?=/;

/** The program that is really started, without assignments, `env`, `timeout 10`, `npx`, `uv run` and the like before it. */
export function unwrap(words: readonly string[]): readonly string[] {
  let left = words;
  for (let i = 0; i <= words.length; i++) {
    const next = step(left);
    if (next === undefined) return left;
    left = next;
  }
  return left;
}

function step(words: readonly string[]): readonly string[] | undefined {
  const [first, second] = words;
  if (first === undefined) return undefined;
  if (assignment.test(first)) return words.slice(1);
  const name = first.split("/").at(-1) ?? "";
  if (Object.hasOwn(wrappers, name)) {
    if (name === "command" && (second === "-v" || second === "-V")) return [];
    const rest = skipOptions(words.slice(1), wrappers[name] ?? []);
    // A duration, not an option, comes first.
    return name === "timeout" ? rest.slice(1) : rest;
  }
  const exec = packageExec(name, words);
  if (exec !== undefined) return skipOptions(words.slice(exec + 1), runOptions);
  if (runs.some(([program, word]) => program === name && word === second)) {
    const rest = skipOptions(words.slice(2), runOptions);
    return name === "coverage" ? ["python", ...words.slice(2)] : rest;
  }
  // `python -m coverage run -m pytest`
  if (/^python[\d.]*$/.test(name) && second === "-m" && words[2] === "coverage" && words[3] === "run") return ["python", ...words.slice(4)];
  // pnpm and yarn start a program of the project by its name.
  if ((name === "pnpm" || name === "yarn") && second !== undefined && projectPrograms.has(second)) return words.slice(1);
  return undefined;
}
/** Where `exec` or `dlx` is, behind options of the package manager such as `-C folder`. */
function packageExec(name: string, words: readonly string[]): number | undefined {
  if (!/^p?npm$|^yarn$/.test(name)) return undefined;
  let at = 1;
  while (words[at]?.startsWith("-")) at += folderOptions.includes(words[at] ?? "") ? 2 : 1;
  return words[at] === "exec" || words[at] === "dlx" ? at : undefined;
}
const folderOptions = ["-C", "--dir", "--prefix", "-F", "--filter", "-w", "--workspace", "--cwd"];
const projectPrograms = new Set(["jest", "vitest", "mocha", "tsc", "eslint", "ava", "playwright"]);

function skipOptions(words: readonly string[], withValue: readonly string[]): readonly string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (word === "--") return words.slice(at + 1);
    if (!word.startsWith("-")) break;
    at += withValue.includes(word) ? 2 : 1;
  }
  return words.slice(at);
}
