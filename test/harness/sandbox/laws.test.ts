import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../harness/errors.ts";
import { dockerIgnore } from "../../../harness/sandbox/docker/image/docker-ignore.ts";
import { frames } from "../../../harness/sandbox/docker/exec/exec-channel.ts";
import {
  baseImages,
  parseCopy,
  parseDockerfile,
  parseEnv,
  replaceBaseImages,
} from "../../../harness/sandbox/dockerfile/parse-dockerfile.ts";
import { hasEnded, thisOwner } from "../../../harness/sandbox/owner.ts";
import { CappedBytes } from "../../../harness/sandbox/shell/capped-bytes.ts";
import { quote } from "../../../harness/sandbox/shell/quote.ts";
import { Worker } from "../../../harness/sandbox/shell/worker.ts";

/** Cuts bytes into pieces at arbitrary places. */
const cut = (bytes: Uint8Array, sizes: readonly number[]): Buffer[] => {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    pieces.push(Buffer.from(bytes.subarray(at, at + size)));
    at += size;
  }
  return pieces;
};
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

describe("capped bytes", () => {
  it("are the first and last bytes of the whole, and nothing is lost uncounted", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), sizes, fc.integer({ min: 0, max: 120 }), (whole, at, cap) => {
        const capped = new CappedBytes(cap);
        for (const piece of cut(whole, at)) capped.push(piece);
        const kept = capped.take();
        expect(kept.length).toBe(Math.min(cap, whole.length));
        expect(kept.length + capped.dropped).toBe(whole.length);
        if (whole.length <= cap) expect([...kept]).toEqual([...whole]);
        const head = Math.min(Math.ceil(cap / 2), kept.length);
        expect([...kept.subarray(0, head)]).toEqual([...whole.subarray(0, head)]);
        expect([...kept.subarray(head)]).toEqual([...whole.subarray(whole.length - (kept.length - head))]);
      }),
    );
  });
});

describe("the engine's frames", () => {
  it("come apart the same however the bytes arrive", () => {
    const frame = fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 30 }));
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 10 }), sizes, (all, at) => {
        const bytes = all.map(([stream, payload]) => {
          const header = Buffer.alloc(8);
          header[0] = stream;
          header.writeUInt32BE(payload.length, 4);
          return Buffer.concat([header, payload]);
        });
        const got: Record<1 | 2, number[]> = { 1: [], 2: [] };
        const split = frames(
          (chunk) => got[1].push(...chunk),
          (chunk) => got[2].push(...chunk),
        );
        for (const piece of cut(Buffer.concat(bytes), at)) split(piece);
        for (const stream of [1, 2] as const)
          expect(got[stream]).toEqual(all.flatMap(([to, payload]) => (to === stream ? [...payload] : [])));
      }),
    );
  });
});

describe("a worker's reply", () => {
  it("is cut out of its streams whatever the command printed and however the bytes arrive", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 100 }),
        fc.uint8Array({ maxLength: 100 }),
        sizes,
        fc.integer({ min: 0, max: 255 }),
        async (out, err, at, code) => {
          let on: Parameters<ConstructorParameters<typeof Worker>[0]["listen"]>[0] | undefined;
          const written: Uint8Array[] = [];
          const channel = {
            listen: (handlers: NonNullable<typeof on>) => void (on = handlers),
            write: (bytes: Uint8Array) => void written.push(bytes),
            alive: async () => true,
            destroy: () => {},
          };
          const worker = new Worker(channel);
          const ready = worker.ready();
          on?.stdout(Buffer.from("ready 42\n"));
          expect((await ready).pid).toBe(42);
          written.length = 0;
          const got: { out: number[]; err: number[] } = { out: [], err: [] };
          const reply = worker.run({
            text: "x",
            stdin: undefined,
            onStdout: (chunk) => got.out.push(...chunk),
            onStderr: (chunk) => got.err.push(...chunk),
          });
          const mark = Buffer.concat(written).toString().split(" ")[0] ?? "";
          // The beginnings of the mark are what could be mistaken for it.
          const stdout = Buffer.concat([out, Buffer.from(mark.slice(0, 20)), Buffer.from(`${mark} ${code} 0\n`)]);
          const stderr = Buffer.concat([Buffer.from(`${mark}\n`), err, Buffer.from(mark.slice(0, 31)), Buffer.from(`${mark}\n`)]);
          for (const piece of cut(stderr, at)) on?.stderr(piece);
          for (const piece of cut(stdout, at)) on?.stdout(piece);
          expect(await reply).toEqual({ type: "exited", code });
          expect(Buffer.from(got.out).equals(Buffer.concat([out, Buffer.from(mark.slice(0, 20))]))).toBe(true);
          expect(Buffer.from(got.err).equals(Buffer.concat([err, Buffer.from(mark.slice(0, 31))]))).toBe(true);
          expect(worker.usable).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("quoting", () => {
  it("gives a shell the same words back", () => {
    const word = fc.string({ unit: "binary", maxLength: 30 }).filter((text) => !text.includes("\0") && text.isWellFormed());
    fc.assert(
      fc.property(fc.array(word, { minLength: 20, maxLength: 60 }), (words) => {
        const script = `printf '%s\\0' ${words.map(quote).join(" ")}`;
        expect(execFileSync("sh", ["-c", script]).toString().split("\0").slice(0, -1)).toEqual(words);
      }),
      { numRuns: 3 },
    );
  });
});

describe("a Dockerfile", () => {
  it("is read as instructions: comments left out, lines joined, names in upper case", () => {
    const text = "# syntax\nFROM a\n\nrun one \\\n  # inside\n  two\nENV A=1 \\\n B=2\n";
    expect(parseDockerfile(text)).toEqual([
      { name: "FROM", rest: "a", line: 2 },
      { name: "RUN", rest: "one    two", line: 4 },
      { name: "ENV", rest: "A=1   B=2", line: 7 },
    ]);
  });

  it("names the images it starts from, not its own stages", () => {
    const text =
      'ARG V="1.2"\nFROM --platform=linux/amd64 base:$V AS build\nFROM build\nFROM scratch\nFROM other:${X:-latest} as last\nCOPY --from=build /a /b\n';
    expect(baseImages(text)).toEqual([
      { image: "base:1.2", line: 2 },
      { image: "other:latest", line: 5 },
    ]);
    expect(replaceBaseImages(text, new Map([[2, "mine"]])).split("\n")[1]).toBe("FROM --platform=linux/amd64 mine AS build");
  });

  it("sets variables in both forms, filled in and unquoted", () => {
    expect(parseEnv("A=1 B=\"two words\" C='$x' D=$A/$KNOWN E=a\\ b", { KNOWN: "k", A: "old" })).toEqual({
      A: "1",
      B: "two words",
      C: "",
      D: "old/k",
      E: "a b",
    });
    expect(parseEnv("OLD the ${KNOWN} form", { KNOWN: "k" })).toEqual({ OLD: "the k form" });
  });

  it("copies from several sources, in either form, and refuses what needs images", () => {
    const copy = (rest: string) => parseCopy({ name: "COPY", rest, line: 3 }, "Dockerfile");
    expect(copy("--chmod=755 a b /c/")).toEqual({ sources: ["a", "b"], destination: "/c/", mode: 0o755 });
    expect(copy('["a b", "/c"]')).toEqual({ sources: ["a b"], destination: "/c", mode: undefined });
    expect(() => copy("--from=x a b")).toThrow(
      new ConfigError("Dockerfile:3: COPY --from makes the task Docker-only; run it with --sandbox docker."),
    );
    expect(() => copy("a")).toThrow(/needs a source and a destination/);
  });
});

describe(".dockerignore", () => {
  it("follows the last pattern that matches", () => {
    const ignored = dockerIgnore("**/node_modules\n*.md\n!README.md\nbuild/\n/top\ndeep/**/x?\n");
    const paths = [
      "node_modules",
      "a/node_modules/b",
      "x.md",
      "sub/x.md",
      "README.md",
      "build/a",
      "top",
      "sub/top",
      "deep/a/b/x1",
      "deep/x12",
      "Dockerfile",
    ];
    expect(paths.filter(ignored)).toEqual(["node_modules", "a/node_modules/b", "x.md", "build/a", "top", "deep/a/b/x1"]);
  });
});

describe("an owner", () => {
  it("has ended only when that is certain", () => {
    const me = thisOwner();
    const [pid = ""] = me.process.split("-");
    const [host = "", boot = "", space = ""] = me.place.split("/");
    expect(hasEnded(me)).toBe(false);
    expect(hasEnded({ ...me, process: `${pid}-1` })).toBe(true);
    expect(hasEnded({ ...me, process: "4194305-1" })).toBe(true);
    expect(hasEnded({ process: "4194305-1", place: `${host}/${boot}/other` })).toBe(false);
    expect(hasEnded({ process: "4194305-1", place: `elsewhere/other/${space}` })).toBe(false);
    expect(hasEnded({ ...me, place: `${host}/an earlier boot/${space}` })).toBe(true);
  });
});
