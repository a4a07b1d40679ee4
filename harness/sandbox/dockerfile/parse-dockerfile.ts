import { ConfigError } from "../../errors.ts";

export interface Instruction {
  /** Upper case: `RUN`, `COPY`, … */
  readonly name: string;
  /** What follows, lines joined. */
  readonly rest: string;
  /** Number of its first line, from 1. */
  readonly line: number;
}

/** The instructions of a Dockerfile in order: comments left out, continued lines joined. Here-documents are no part of what the classic builder reads. */
export function parseDockerfile(text: string): Instruction[] {
  const instructions: Instruction[] = [];
  const lines = text.split(/\r?\n/);
  for (let i = 0; i < lines.length; i++) {
    if (/^\s*(#|$)/.test(lines[i] ?? "")) continue;
    const first = i + 1;
    let joined = "";
    for (; i < lines.length; i++) {
      const line = lines[i] ?? "";
      if (joined !== "" && /^\s*(#|$)/.test(line)) continue;
      const continued = /\\\s*$/.exec(line);
      joined += continued ? `${line.slice(0, continued.index)} ` : line;
      if (!continued) break;
    }
    const [, name = "", rest = ""] = /^\s*(\S+)\s*([^]*)$/.exec(joined) ?? [];
    instructions.push({ name: name.toUpperCase(), rest: rest.trim(), line: first });
  }
  return instructions;
}

/** The images a Dockerfile starts from, with the lines that name them; its own stages and `scratch` are not among them. */
export function baseImages(text: string): { image: string; line: number }[] {
  const stages = new Set<string>(["scratch"]);
  const values = new Map<string, string>();
  const images: { image: string; line: number }[] = [];
  for (const { name, rest, line } of parseDockerfile(text)) {
    const argument = name === "ARG" ? /^(\w+)=(\S*)/.exec(rest) : undefined;
    if (argument?.[1] && stages.size === 1) values.set(argument[1], (argument[2] ?? "").replace(/^(["'])(.*)\1$/, "$2"));
    if (name !== "FROM") continue;
    const [, written = "", stage] = /^(?:--\S+\s+)*(\S+)(?:\s+as\s+(\S+))?/i.exec(rest) ?? [];
    const image = written.replace(/\$\{?(\w+)(?::-([^}]*))?\}?/g, (_, key: string, fallback?: string) => values.get(key) ?? fallback ?? "");
    if (!stages.has(image.toLowerCase())) images.push({ image, line });
    if (stage) stages.add(stage.toLowerCase());
  }
  return images;
}

/** Puts other images in place of those that cannot be had: line → image. Flags and stage names stay. */
export function replaceBaseImages(text: string, replacements: ReadonlyMap<number, string>): string {
  const lines = text.split("\n");
  for (const [line, image] of replacements)
    lines[line - 1] = (lines[line - 1] ?? "").replace(/^(\s*FROM\s+(?:--\S+\s+)*)(\S+)/i, (_, before: string) => before + image);
  return lines.join("\n");
}

/** `KEY=value KEY2="two words"` or the old `KEY value`, with `$NAME` and `${NAME}` filled in. */
export function parseEnv(rest: string, known: Readonly<Record<string, string>>): Record<string, string> {
  const [first = ""] = rest.split(/\s/);
  if (!first.includes("=")) return { [first]: fill(rest.slice(first.length).trim(), known) };
  const found: Record<string, string> = {};
  for (const [, key = "", value = ""] of rest.matchAll(/([A-Za-z_]\w*)=((?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])*)/g)) {
    const plain = value.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, escaped?: string) =>
      double !== undefined ? double.replace(/\\(.)/g, "$1") : (single ?? escaped ?? ""),
    );
    found[key] = fill(plain, known);
  }
  return found;
}

export function fill(text: string, known: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => known[braced ?? bare ?? ""] ?? "");
}

/** The sources and the destination of a COPY, in either form. @throws ConfigError for flags that only Docker can follow. */
export function parseCopy(instruction: Instruction, file: string): { sources: string[]; destination: string; mode: number | undefined } {
  let rest = instruction.rest;
  let mode: number | undefined;
  for (let flag = /^--(\w+)(?:=(\S+))?\s+/.exec(rest); flag; flag = /^--(\w+)(?:=(\S+))?\s+/.exec(rest)) {
    if (flag[1] !== "chmod")
      throw new ConfigError(`${file}:${instruction.line}: COPY --${flag[1]} makes the task Docker-only; run it with --sandbox docker.`);
    mode = Number.parseInt(flag[2] ?? "", 8);
    rest = rest.slice(flag[0].length);
  }
  // A JSON array of strings, by the format's definition.
  const words = rest.startsWith("[") ? (JSON.parse(rest) as string[]) : rest.split(/\s+/);
  const destination = words.at(-1);
  if (words.length < 2 || destination === undefined)
    throw new ConfigError(`${file}:${instruction.line}: COPY needs a source and a destination, got "${instruction.rest}".`);
  return { sources: words.slice(0, -1), destination, mode };
}
