/** What may differ between two runs of the same command without its meaning another thing. Each has a name, and a verdict names those it took. */
export interface Normalizer {
  readonly name: string;
  apply(text: string): string;
}

const replacing = (name: string, patterns: readonly RegExp[], by: string): Normalizer => ({
  name,
  apply: (text) => patterns.reduce((rest, pattern) => rest.replaceAll(pattern, by), text),
});

const months = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const days = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?`;

/** In the order in which they are applied. */
export const normalizers: readonly Normalizer[] = [
  replacing(
    "temporary paths",
    [/(?<![\w.-])(?:\/private)?(?:\/var\/folders\/[\w+]{2}\/[\w+]+\/T|\/var\/tmp|\/tmp)\/[\w.+@-]+/g],
    "<temporary>",
  ),
  replacing(
    "times",
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
  replacing("durations", [/(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|m\d+(?:\.\d+)?s)(?![\w])/g], "<duration>"),
  replacing(
    "pids",
    [
      /(?<=\b(?:pid|PID|process)[ :=#]{1,2})\d+/g,
      /(?<=^\[\d+\] )\d+$/gm,
      /(?<=\bline \d+: {1,2})\d+(?= (?:Killed|Terminated|Segmentation|Aborted))/g,
    ],
    "<pid>",
  ),
  replacing("addresses", [/\b0x[0-9a-fA-F]{6,}\b/g], "<address>"),
];

/**
 * Which normalizers make two texts the same: none needed, a list of names as short as possible, or undefined when all together do not.
 * Linear in the texts but for a small factor.
 */
export function equalBy(a: string, b: string): readonly string[] | undefined {
  if (a === b) return [];
  const sameBy = (list: readonly Normalizer[]): boolean =>
    list.reduce((text, one) => one.apply(text), a) === list.reduce((text, one) => one.apply(text), b);
  if (!sameBy(normalizers)) return undefined;
  let needed = [...normalizers];
  for (const one of normalizers) {
    const without = needed.filter((other) => other !== one);
    if (sameBy(without)) needed = without;
  }
  return needed.map(({ name }) => name);
}
