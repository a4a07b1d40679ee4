/** Beginning and end of an output are enough to say how it went. */
const part = 6_000;
export const ends = (text: string): string => (text.length <= 2 * part ? text : `${text.slice(0, part)}\n${text.slice(-part)}`);

/** The lines that agents' tools put before and after what a command printed. */
const wrappers: readonly RegExp[] = [
  /^<returncode>-?\d+<\/returncode>\s*(?:<output>\s*)?/,
  /^\[exit_code=-?\d+\]\s*/,
  /^(?:Chunk ID: \S+\s*)?(?:Exit code: -?\d+\s*)?(?:Script (?:completed|running with cell ID \S+|failed)\s*)?Wall time:? [\d.]+ seconds?\s*(?:Process (?:exited with code -?\d+|running with session ID \S+)\s*)?(?:Original token count: \d+\s*)?Output:\s*/,
  /^Exit code \d+\s*/,
  /^<tool_output[^>]{0,200}>\s*/,
];
/** The exit code as agents' tools write it before an output. Behind or within it anything may stand that the program printed. */
export function exitCodeBefore(observation: string): number | undefined {
  const [, code] =
    /^(?:<returncode>|\[exit_code=|(?:Chunk ID: \S+\s*)?(?:Wall time:? [\d.]+ seconds?\s*)?(?:Exit code:? |Process exited with code ))(-?\d{1,4})/.exec(
      observation,
    ) ?? [];
  return code === undefined ? undefined : Number(code);
}

const closers = /(?:<\/output>|<\/tool_output>)?(?:\s*Exit code: \d+\.?)?\s*$/;
const nothing = /^(?:\(Bash completed with no output\)|\(no output\)|\{\})$/;

/** What a command printed, as far as its agent's own lines are known. */
export function bare(observation: string): string {
  let text = observation;
  for (const wrapper of wrappers) text = text.replace(wrapper, "");
  const [closer = ""] = closers.exec(text.slice(-60)) ?? [];
  text = text.slice(0, text.length - closer.length).trim();
  return nothing.test(text) ? "" : text;
}

const failedWords =
  /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|\bTests?:\s+[1-9]\d* failed|^FAIL(?:ED|URE)?\b|^FAILED \(|\berror TS\d+|\bnpm ERR!|^Traceback \(most recent|\bfailures=[1-9]|^not ok \d|\bBUILD FAILED\b|\bcommand failed with exit code [1-9]/im;
const passedWords =
  /\b[1-9]\d* (?:passed|passing)\b|^OK$|^OK \(|\b0 fail(?:ed|ing|ures)\b|\bBUILD SUCCESS|^ok \d|\ball (?:tests|checks) pass/im;

/** How a check went by what it printed, where its exit code is not known. */
export function verdictIn(output: string): boolean | undefined {
  const text = ends(output);
  if (failedWords.test(text)) return false;
  return passedWords.test(text) ? true : undefined;
}

const errorLine =
  /^.*(?:\b\w*(?:Error|Exception)\b:?|\berror(?: TS\d+)?:|\bcommand not found\b|: not found\b|No such file or directory|Permission denied|\bfatal:|\bcannot\b|\bCould not\b).*$/im;

/** The line that says what went wrong, made comparable: numbers and addresses do not count. */
export function errorOf(output: string): string | undefined {
  const [line] = errorLine.exec(ends(output)) ?? [];
  return line?.trim().slice(0, 300);
}
export const comparable = (line: string): string =>
  line
    .replaceAll(/0x[\da-f]+|\d+/gi, "#")
    .replaceAll(/\s+/g, " ")
    .slice(0, 160);

const missing = [
  /(?:^|[\s:])([\w.+-]{2,40}): (?:command )?not found\b/m,
  /command not found: ([\w.+-]{2,40})/,
  /(?:ModuleNotFoundError|ImportError): No module named ['"]?([\w.-]{2,60})/,
  /Cannot find (?:module|package) ['"]([@\w./-]{2,80})['"]/,
  /spawn ([\w.+-]{2,40}) ENOENT/,
  /exec: "([\w.+-]{2,40})": executable file not found/,
] as const;
const isName = (name: string): boolean => !/^(?:line|\d+)$/.test(name) && !/^\.{1,2}\//.test(name);
/** The program or package that an output says is not there. */
export function missingIn(output: string): string | undefined {
  const text = ends(output);
  for (const pattern of missing) {
    const [, name] = pattern.exec(text) ?? [];
    if (name !== undefined && isName(name)) return name;
  }
  return undefined;
}
/** All of them, however much is printed around them. */
export const allMissingIn = (text: string): string[] => [
  ...new Set(
    missing.flatMap((pattern) => [...text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(([, name = ""]) => name)).filter(isName),
  ),
];

export const timedOut = (observation: string): boolean =>
  /\btimed out\b|\btime-?out (?:of|after|exceeded|reached)\b|\bexceeded the time limit\b|\bkilled after \d+/i.test(
    observation.length > 2_000 ? `${observation.slice(0, 1_000)}\n${observation.slice(-1_000)}` : observation,
  );

/** The agent's own tool shortened what it saw. */
export const cutAway = (observation: string): boolean =>
  /\[persisted_output\]|\[?\.{3}\s*(?:\[)?\d[\d,]* (?:characters|chars|lines|tokens|bytes) (?:truncated|omitted|elided|not shown)|<elided_chars>|\boutput (?:was )?(?:truncated|too long)|\btruncated output\b|…\s*\+?\d+ (?:lines|tokens) (?:truncated|omitted)/i.test(
    ends(observation),
  );
