import type { RunOverview } from "../read/run-overview.ts";

type Named = Pick<RunOverview, "folder" | "start">;

/** Of the hash of a run's first event, at least so much is shown. */
const fewestLetters = 4;

/**
 * What names each of `runs` among `all`: the least of the hash of its first event that begins no other's. Copies of one run share it; one that could not be read
 * has none.
 */
export function runWords(runs: readonly Named[], all: readonly Named[] = runs): Map<string, string> {
  const near = new Set(runs.map(({ start }) => start.slice(0, fewestLetters))); // no others can begin alike
  const hashes = [...new Set(all.map(({ start }) => start))]
    .filter((start) => start !== "" && near.has(start.slice(0, fewestLetters)))
    .toSorted();
  const common = (a = "", b = ""): number => {
    let length = 0;
    while (length < a.length && a[length] === b[length]) length++;
    return length;
  };
  const words = new Map(
    hashes.map((hash, i) => [
      hash,
      hash.slice(0, Math.max(fewestLetters, common(hash, hashes[i - 1]) + 1, common(hash, hashes[i + 1]) + 1)),
    ]),
  );
  return new Map(runs.flatMap(({ folder, start }) => (start === "" ? [] : [[folder, words.get(start) ?? start] as const])));
}

/** Whether a text can be the beginning of a run's hash. */
export const isRunWord = (text: string): boolean => /^[0-9a-f]{4,64}$/.test(text);

/** Of these runs the ones that a word names: several only where it is too short, since copies count as one. */
export function runsNamed<T extends Pick<RunOverview, "start">>(runs: readonly T[], word: string): T[] {
  const found = new Map<string, T>();
  for (const run of runs) if (run.start.startsWith(word) && !found.has(run.start)) found.set(run.start, run);
  return [...found.values()];
}
