/** What programs say that could not begin to check: they, their script, or what they were to check is not there, or an option of theirs is unknown. */
const says: readonly RegExp[] = [
  /^\S*python[\d.]*: No module named /m,
  /^\S*python[\d.]*: can't open file /m,
  /requireStack: \[(?: 'internal\/preload' )?\]/,
  /^.*(?:Missing script|ERR_PNPM_NO_SCRIPT|ERR_PNPM_RECURSIVE_RUN_NO_SCRIPT|Couldn't find a script named)\b/m,
  /\b(?:could not determine executable to run|Could not read package\.json|ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND|ENOENT: no such file or directory, open '[^'\n]*package\.json')/,
  /^[ \t]*(?:ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL[ \t]+)?Command "[^"\n]*" not found/m,
  /^\s{0,4}(?:ERROR\s{1,4})?This project is configured to use (?:npm|yarn|pnpm|bun)\b/m,
  /^This is not the tsc command you are looking for/m,
  /^[^\w\n]*(?:No test files found|No tests found, exiting|No test suites found|No files matching the pattern)\b/m,
  /^(?:\S*make(?:\[\d+\])?): \*\*\* No (?:targets specified and no makefile found|rule to make target [`'][^'\n]*'\.)/m,
  /^\S+: error: (?:argument |unrecognized arguments|the following arguments|no such option)/m,
  /^[ \t]*(?:\S+: |ERROR[ \t]+|CACError: |error(?: TS\d+)?: |\u25cf )?(?:Unknown|Unrecognized|unknown or unexpected)(?: compiler)? (?:option|CLI Parameters?)\b/im,
  /\bcould not find `Cargo\.toml`|^go: (?:cannot find main module|go\.mod file not found)|^no Go files in /m,
  /\b(?:fatal )?error: no input files\b/,
  /^(?:\S*sh: )?(?:line \d+: |\d+: )?cd: (?:.*: )?(?:No such file or directory|not a directory|can't cd to )/im,
];

/** True where the output says that the runner of these words did not begin. For runners that did not end well and printed no summary. */
export function couldNotStart(words: readonly string[], output: string): boolean {
  const program = words[0]?.split("/").at(-1) ?? "";
  return says.some((one) => one.test(output)) || output.split("\n").some((line) => isMissing(line, program));
}

/** `bash: line 1: pytest: command not found`, `sh: 1: tsc: not found`. */
function isMissing(line: string, program: string): boolean {
  const said = /(?:^|: )([^:\s]+): (?:command )?not found\s*$/.exec(line)?.[1];
  if (said === undefined) return false;
  // a package manager's script names the runner
  return said.split("/").at(-1) === program || (managers.has(program) && /^sh: (?:line )?\d+: /.test(line));
}
const managers = new Set(["npm", "pnpm", "yarn", "bun"]);
