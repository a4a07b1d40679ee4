/** What may differ between two runs of the same program without its meaning another thing. Each has a name, and a verdict names those it took. */
export interface Normalizer {
  readonly name: string;
  /** Why it is no difference. */
  readonly reason: string;
  readonly patterns: readonly RegExp[];
  apply(text: string): string;
}

/** `by` matches no pattern. What is beside it may begin to match, such as a word that had no boundary before: so until nothing changes any more. */
function replacing(name: string, reason: string, patterns: readonly RegExp[], by: string): Normalizer {
  const once = (text: string): string => patterns.reduce((rest, pattern) => rest.replaceAll(pattern, by), text);
  return {
    name,
    reason,
    patterns,
    apply(text) {
      let [before, after] = [text, once(text)];
      while (after !== before) [before, after] = [after, once(after)];
      return after;
    },
  };
}

const months = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const days = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?`;

/** Of what a command prints, in the order in which they are applied. */
export const normalizers: readonly Normalizer[] = [
  replacing(
    "temporary paths",
    "mktemp and test runners draw their names",
    [/(?<![\w.-])(?:\/private)?(?:\/var\/folders\/[\w+]{2}\/[\w+]+\/T|\/var\/tmp|\/tmp)\/[\w.+@-]+/g],
    "<temporary>",
  ),
  replacing(
    "times",
    "the clock has gone on",
    [
      new RegExp(String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]${clock}(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?`, "g"),
      new RegExp(
        String.raw`\b(?:${days},? +)?(?:${months} +\d{1,2}|\d{1,2} +${months}(?! +\d{1,2}(?!\d)))(?:,? +\d{4})?(?: +${clock})?(?: +[A-Z]{3,4})?(?: +\d{4})?\b`,
        "g",
      ),
      new RegExp(String.raw`(?<![\w:.])\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?![\w:])`, "g"),
    ],
    "<time>",
  ),
  replacing(
    "durations",
    "the machine is not equally fast twice",
    [/(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|m\d+(?:\.\d+)?s)(?![\w])/g],
    "<duration>",
  ),
  replacing(
    "pids",
    "the system numbers its processes",
    [
      /(?<=\b(?:pid|PID|process)[ :=#]{1,2})\d+/g,
      /(?<=^\[\d+\] )\d+$/gm,
      /(?<=\bline \d+: {1,2})\d+(?= (?:Killed|Terminated|Segmentation|Aborted))/g,
    ],
    "<pid>",
  ),
  replacing("addresses", "where an object is in memory is drawn", [/\b0x[0-9a-fA-F]{6,}\b/g], "<address>"),
];

const monthNames =
  "(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";

/** Of any text that another agent sends to its model: what its client draws or looks up at each start. Sources: docs/agents.md. */
export const clientNormalizers: readonly Normalizer[] = [
  replacing(
    "today's date",
    "clients put the day into their prompts",
    [
      new RegExp(
        String.raw`(?=[\dA-Z])(?<=(?<![a-z])(?:date|today)\b[^\n\d<]{0,24})(?:\d{4}-\d{2}-\d{2}|\d{1,2}\/\d{1,2}\/\d{4}|(?:[a-z]{3,9}day,? +)?${monthNames} \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?!\d)`,
        "gi",
      ),
    ],
    "<day>",
  ),
  replacing(
    "drawn ids",
    "clients draw ids of sessions, threads and requests",
    [/(?<![0-9a-f-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f-])/gi],
    "<id>",
  ),
  replacing(
    "device ids",
    "Claude Code draws one in each new home",
    [/(?<=\bdevice_id"?\s?[:=]\s?"?|\buser_)[0-9a-f]{64}(?![0-9a-f])/g],
    "<device>",
  ),
  replacing("start times", "Codex says when a turn began", [/(?<=_at_unix_ms"\s?:\s?)\d{13}(?!\d)/g], "<ms>"),
  replacing(
    "kernel releases",
    "Claude Code and mini-swe-agent name the machine's kernel",
    [/(?<=\bOS Version: Linux )\d+\.\d+\.\d+[\w.+-]*/g, /(?<=\bLinux )\d+\.\d+\.\d+[\w.+-]*(?= #\d+ SMP\b)/g],
    "<kernel>",
  ),
  replacing(
    "commit hashes",
    "Claude Code lists the last commits, whose hashes cover their times",
    [/(?<=^Recent commits:\n(?:(?:[0-9a-f]{7,12}|<commit>)(?: [^\n]*)?\n)*)[0-9a-f]{7,12}(?= )/gm],
    "<commit>",
  ),
];

/** Of the results that another agent reports to its model, before those of any command's output. */
export const resultNormalizers: readonly Normalizer[] = [
  replacing("chunk ids", "Codex numbers each piece of output by a draw", [/(?<=\bChunk ID: )[0-9a-f]{4,}\b/g], "<chunk>"),
  replacing("loopback ports", "the gateway's port is drawn", [/(?<=\b(?:127\.0\.0\.1|localhost):)\d{4,5}(?!\d)/g], "<port>"),
  ...normalizers,
];

/**
 * Which normalizers of a list make two texts the same: none needed, a list of names as short as possible, or undefined when all together do not.
 * Linear in the texts but for a small factor.
 */
export function equalBy(a: string, b: string, list: readonly Normalizer[] = normalizers): readonly string[] | undefined {
  if (a === b) return [];
  const sameBy = (some: readonly Normalizer[]): boolean =>
    some.reduce((text, one) => one.apply(text), a) === some.reduce((text, one) => one.apply(text), b);
  if (!sameBy(list)) return undefined;
  let needed = [...list];
  for (const one of list) {
    const without = needed.filter((other) => other !== one);
    if (sameBy(without)) needed = without;
  }
  return needed.map(({ name }) => name);
}
