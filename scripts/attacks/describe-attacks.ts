import type { Attack } from "../../tasks/attacks/attack.ts";
import type { Faced } from "./face-attack.ts";

/** The table in Markdown, in the order of `attacks`. */
export function describeAttacks(attacks: readonly Attack[], faced: readonly Faced[]): string {
  const lines = attacks.flatMap(({ name, does, harm }) => {
    const line = faced.find(({ attack }) => attack === name);
    return line ? [`| \`${name}\` | ${does} | ${naiveWord(line, harm)} | ${forgeWord(line)} | \`${line.forge.class}\` |`] : [];
  });
  return ["| attack | what it does | naive runner | Forge | class |", "| --- | --- | --- | --- | --- |", ...lines, ""].join("\n");
}

function naiveWord({ harms, naive }: Faced, harm: Attack["harm"]): string {
  if (!harms) return `no harm (${naive.score ?? naive.why})`;
  if (harm === "harmed neighbour") return `${naive.writtenMb} MB written`;
  return harm === "lost score" ? `no score: ${naive.why}` : "passed";
}

function forgeWord({ forge, nextClean }: Faced): string {
  const verdict = forge.passed === true ? "**passed**" : forge.score === null ? "no score" : `failed, ${forge.score}`;
  return nextClean ? verdict : `${verdict}; **next trial not clean**`;
}
