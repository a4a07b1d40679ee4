import type { Attack } from "../../evals/gate/attacks/attack.ts";
import type { Faced } from "./face-attack.ts";
import { describeFared } from "./neighbour.ts";

/** The table in Markdown, in the order of `attacks`. */
export function describeAttacks(attacks: readonly Attack[], faced: readonly Faced[]): string {
  const lines = attacks.flatMap(({ name, does, harm }) => {
    const line = faced.find(({ attack }) => attack === name);
    return line ? [`| \`${name}\` | ${does} | ${naiveWord(line, harm)} | ${forgeWord(line)} | \`${line.forge.class}\` |`] : [];
  });
  return ["| attack | what it does | naive runner | Forge | class |", "| --- | --- | --- | --- | --- |", ...lines, ""].join("\n");
}

function naiveWord({ harms, naive, neighbour }: Faced, harm: Attack["harm"]): string {
  if (!harms) return `no harm (${naive.score ?? naive.why})`;
  if (neighbour) return `neighbour: ${describeFared(neighbour.naive)}`;
  return harm === "lost score" ? `no score: ${naive.why}` : "passed";
}

function forgeWord({ forge, nextClean, neighbour }: Faced): string {
  const word = forge.passed === true ? "**passed**" : forge.score === null ? "no score" : `failed, ${forge.score}`;
  const bound = boundReached(forge);
  const verdict = neighbour ? `${word}${bound ? `, ${bound}` : ""}; neighbour ${describeFared(neighbour.forge)}` : word;
  return nextClean === false ? `${verdict}; **next trial not clean**` : verdict;
}

/** Which of its container's bounds it met. */
function boundReached({ evidence = [], bounds }: Faced["forge"]): string | undefined {
  for (const { oomKills, pidsRefused, kind } of evidence) {
    if (oomKills !== undefined) return `ended at its ${bounds?.memoryMb?.value} MB of memory`;
    if (pidsRefused !== undefined) return `refused more than ${bounds?.pids?.value} processes`;
    if (kind === "storage") return `ended at its ${bounds?.storageMb?.value} MB of disk`;
  }
  return undefined;
}
