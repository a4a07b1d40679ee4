import { text } from "../text.ts";
import type { Shape, Twist } from "./twists.ts";

/** How the program may be unlike the right one: with the place for twists of lines without one, or with the cap before the order. */
export interface Made {
  readonly lines?: boolean;
  readonly capsFirst?: boolean;
}

export function body({ least, separator }: Shape, chosen: readonly Twist[], made: Made = {}): string {
  const cap = made.capsFirst ? chosen.filter(({ name }) => name === "capped") : [];
  const ofLines = chosen.flatMap(({ lines }) => lines?.trimEnd() ?? []);
  const whole = [
    ...chosen.flatMap(({ people }) => people?.trimEnd() ?? []),
    ...cap.flatMap(({ rows }) => rows?.replaceAll("rows", "people") ?? []),
    `rows = sorted((row for row in people if row[1] >= ${least}), key=lambda row: (-row[1], row[0]))`,
    ...chosen.filter((twist) => !cap.includes(twist)).flatMap(({ rows }) => rows ?? []),
    `lines = [f"{name}${separator}{points}" for name, points in rows]`,
  ];
  if (ofLines.length === 0 && !made.lines) return whole.join("\n");
  return text`
    ${whole.join("\n")}
    if lines:
        ${ofLines.join("\n") || "pass"}
  `;
}

export function solution(shape: Shape, chosen: readonly Twist[], made: Made = {}): string {
  const points = chosen.some(({ name }) => name === "out") ? 'None if points == "out" else int(points)' : "int(points)";
  return text`
    import sys

    people = [(name, ${points}) for name, points in (line.split() for line in sys.stdin if line.strip())]
    ${body(shape, chosen, made)}
    for line in lines:
        print(line)
  `;
}
