import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { baseImages, parseDockerfile } from "../../../../harness/sandbox/dockerfile/parse-dockerfile.ts";
import { inlineHereDocuments } from "../../../../harness/sandbox/dockerfile/here-documents.ts";
import { buildKitNeed, platformArguments, syntaxOf } from "../../../../harness/sandbox/docker/image/buildkit-need.ts";

/** The script of the first RUN, run here. */
function run(dockerfile: string): string {
  const found = parseDockerfile(inlineHereDocuments(dockerfile).dockerfile).find(({ name }) => name === "RUN");
  const words = JSON.parse(found?.rest ?? "") as string[]; // exec form: a list of words
  return execFileSync(words[0] ?? "", words.slice(1), { encoding: "utf8" });
}

describe("here-documents of a Dockerfile", () => {
  it("become a RUN in exec form that does what the shell would, on the same lines", () => {
    expect(run("FROM x\nRUN cat <<'END' && echo after\n$HOME \"a\" \\\nfrom flask import Flask\nEND\n")).toBe(
      '$HOME "a" \\\nfrom flask import Flask\nafter\n',
    );
    expect(run("FROM x\nRUN <<END\nx=1\necho $((x + 1))\nEND\n")).toBe("2\n");
    expect(run("FROM x\nRUN <<-END\n\techo a\n\techo b\n\tEND\nRUN echo no\n")).toBe("a\nb\n");
    expect(run("FROM x\nRUN <<'END'\n#!/usr/bin/env python3\nprint('py' * 2)\nEND\n")).toBe("pypy\n");
    expect(run("FROM x\nRUN cat <<A - <<B \\\n  && true\none\nA\ntwo\nB\n")).toBe("two\n");
    const text = "FROM a\nRUN cat <<END >/x\nFROM b\nEND\nFROM c\n";
    expect(baseImages(inlineHereDocuments(text).dockerfile)).toEqual([
      { image: "a", line: 1 },
      { image: "c", line: 5 },
    ]);
  });

  it("become files of the context for COPY, unless the builder would have to fill in variables", () => {
    const { dockerfile, files } = inlineHereDocuments("FROM x\nCOPY --chown=1 <<one <<'two' /etc/\n1\none\n$2\ntwo\nUSER 1\n");
    expect(files.map(({ content }) => content)).toEqual(["1\n", "$2\n"]);
    expect(dockerfile.split("\n")).toEqual([
      "FROM x",
      `COPY --chown=1 ${files.map(({ path }) => path).join(" ")} /etc/`,
      "#",
      "#",
      "#",
      "#",
      "USER 1",
      "",
    ]);
    const variables = inlineHereDocuments("FROM x\nCOPY <<END /a\n$HOME\nEND\n");
    expect(variables).toMatchObject({ files: [], left: [2] });
    expect(buildKitNeed(variables)).toEqual({ line: 2, what: "a COPY of a here-document with variables" });
  });

  it.each([
    "FROM x\nRUN echo $((1<<A))\n",
    "FROM x\nRUN cat <<<word\nword\n",
    "FROM x\nRUN echo 'a <<END'\nEND\n",
    'FROM x\nRUN ["a", "<<END"]\nEND\n',
    "FROM x\n# RUN cat <<END\nEND\n",
    "FROM x\nRUN cat <<END\nno end\n",
  ])("are not seen in %j", (text) => {
    expect(inlineHereDocuments(text)).toEqual({ dockerfile: text, files: [], left: [] });
  });

  it("never change how many lines there are, whatever stands there", () => {
    const piece = fc.constantFrom(
      "RUN ",
      "COPY ",
      "<<A",
      "<<-'B'",
      "\nA\n",
      "\nB\n",
      "\n",
      "\\\n",
      "'",
      '"',
      "x ",
      "#",
      "$",
      "FROM y\n",
      "SHELL [",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const { dockerfile, left } = inlineHereDocuments(text);
        expect(dockerfile.split("\n").length).toBe(text.split("\n").length);
        expect(left.every((line) => line >= 1)).toBe(true);
      }),
    );
  });
});

describe("what a Dockerfile asks of its builder", () => {
  const need = (dockerfile: string) => buildKitNeed({ dockerfile, files: [], left: [] });

  it("is BuildKit's alone only where a flag says so", () => {
    expect(
      need("# syntax=docker/dockerfile:1\nFROM --platform=linux/amd64 x\nCOPY --from=a --chown=1:1 . /\nRUN echo --mount=x\n"),
    ).toBeUndefined();
    expect(need("FROM x\nCOPY --chown=1 --chmod=755 a /a\n")).toEqual({ line: 2, what: "COPY --chmod" });
    expect(need("FROM x\nRUN --mount=type=cache,target=/c \\\n  true\n")).toEqual({ line: 2, what: "RUN --mount" });
    expect(need("FROM x\nADD --link a /a\n")).toEqual({ line: 2, what: "ADD --link" });
  });

  it("may be a reader of its own, named before everything else", () => {
    expect(syntaxOf("# escape=`\n# syntax = docker/dockerfile:1.7\nFROM x\n")).toEqual({ image: "docker/dockerfile:1.7", line: 2 });
    expect(syntaxOf("# a comment\n# syntax=docker/dockerfile:1\nFROM x\n")).toBeUndefined();
  });

  it("has the machine's kind where it declares the argument for it", () => {
    expect(
      platformArguments("FROM x\nARG TARGETARCH\nARG TARGETOS=plan9\nARG BUILDPLATFORM\nARG OTHER\n", { os: "linux", arch: "arm64" }),
    ).toEqual({
      TARGETARCH: "arm64",
      BUILDPLATFORM: "linux/arm64",
    });
  });
});
