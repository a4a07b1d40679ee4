import { parseDockerfile } from "../../dockerfile/parse-dockerfile.ts";
import type { Inlined } from "../../dockerfile/here-documents.ts";

/** The first thing in a Dockerfile that the daemon's classic builder cannot do; undefined where it can do all. Here-documents were inlined before. */
export function buildKitNeed({ dockerfile, left }: Inlined): { readonly line: number; readonly what: string } | undefined {
  const [unexpanded] = left;
  if (unexpanded !== undefined) return { line: unexpanded, what: "a COPY of a here-document with variables" };
  for (const { name, rest, line } of parseDockerfile(dockerfile)) {
    const flags = [...(/^(?:--\S+\s+)*/.exec(rest)?.[0] ?? "").matchAll(/--([a-z-]+)/g)].map(([, flag = ""]) => flag);
    const classic = name === "COPY" ? ["from", "chown"] : name === "ADD" ? ["chown"] : undefined;
    const flag = name === "RUN" ? flags[0] : classic && flags.find((one) => !classic.includes(one));
    if (flag !== undefined) return { line, what: `${name} --${flag}` };
  }
  return undefined;
}

const directive = /^\s*#\s*([a-zA-Z]\w*)\s*=\s*(\S+)\s*$/;

/** The image that `# syntax=` names as the Dockerfile's reader. Directives stand before everything else. */
export function syntaxOf(dockerfile: string): { readonly image: string; readonly line: number } | undefined {
  for (const [index, text] of dockerfile.split("\n").entries()) {
    const [, name, image = ""] = directive.exec(text.replace(/\r$/, "")) ?? [];
    if (name === undefined) return undefined;
    if (name.toLowerCase() === "syntax") return { image, line: index + 1 };
  }
  return undefined;
}

/** What BuildKit sets by itself for a stage that declares it: by name, of the machine that builds. */
export function platformArguments(
  dockerfile: string,
  { os, arch }: { readonly os: string; readonly arch: string },
): Record<string, string> {
  const values: Readonly<Record<string, string>> = { PLATFORM: `${os}/${arch}`, OS: os, ARCH: arch, VARIANT: "" };
  const found: Record<string, string> = {};
  for (const { name, rest } of parseDockerfile(dockerfile)) {
    const [, argument = "", part = ""] = (name === "ARG" && /^((?:TARGET|BUILD)(PLATFORM|OS|ARCH|VARIANT))$/.exec(rest)) || [];
    if (argument !== "") found[argument] = values[part] ?? "";
  }
  return found;
}
