import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgeHere } from "../cli/forge-here.ts";
import { built, cleanUp, emptyFolder, forge, get, jsonLines, put, type Answer } from "./forge.ts";

beforeAll(built, 180_000);
afterAll(cleanUp);

/** One finished sentence and nothing left behind. */
const refusal = (words: RegExp): object => ({
  code: 2,
  stdout: "",
  stderr: expect.stringMatching(new RegExp(`^error: [^\\n]*${words.source}[^\\n]*\\n$`)),
  left: [],
});
async function refused(args: readonly string[], cwd: string): Promise<Answer & { left: string[] }> {
  const answer = await forgeHere(args, { cwd });
  return { ...answer, left: readdirSync(cwd).filter((name) => name !== "full") };
}
const corpus = (...more: string[]): string[] => ["sim", "corpus", "--suite", "demo", "--out", "corpus", "--runs", "3", ...more];

describe("forge sim refuses, in a sentence and with nothing written,", () => {
  it.each([
    [
      "an unknown fault",
      corpus("--faults", "stops-early,naps"),
      /--faults: there is no fault "naps"\. Choose among skips-check, stops-early/,
    ],
    ["a seed out of range", corpus("--seed", "2147483648"), /--seed: expected a whole number from 0 to 2147483647, got "2147483648"\./],
    ["a number of runs that is none", corpus("--runs", "many"), /--runs: expected a whole number from 1 to 20000, got "many"\./],
    ["an unknown protocol", corpus("--protocol", "grammar"), /--protocol: expected native, text, got "grammar"\./],
    [
      "an unknown profile",
      ["sim", "serve", "demo", "--profile", "lazy"],
      /There is no simulated model "sim\/lazy"; there are sim\/default/,
    ],
    ["a port out of range", ["sim", "serve", "demo", "--port", "65536"], /--port: expected a whole number from 0 to 65535, got "65536"\./],
    ["an unknown suite", ["sim", "serve", "nowhere"], /suite "nowhere": there is no such folder/],
  ])("%s", async (_, args, words) => {
    const cwd = emptyFolder();
    expect(await refused(args, cwd)).toEqual(refusal(words));
  });

  it("a folder that is not empty", async () => {
    const cwd = emptyFolder();
    put(cwd, "full/a.txt", "mine");
    expect(await refused(corpus("--out", "full"), cwd)).toEqual(
      refusal(/full: the folder is not empty\. Name a new one, or empty it first\./),
    );
    expect(get(cwd, "full/a.txt")).toBe("mine");
  });

  it("a port in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo; // a listening TCP server has one
    const cwd = emptyFolder();
    try {
      expect(await refused(["sim", "serve", "demo", "--port", String(port)], cwd)).toEqual(
        refusal(new RegExp(`--port ${port}: the port is in use on 127\\.0\\.0\\.1\\.`)),
      );
    } finally {
      other.close();
    }
  });
});

describe("forge sim serve", () => {
  it("says where it listens, answers a real client, labels a bench on it as simulated, and ends at Ctrl-C with 0", async () => {
    const cwd = emptyFolder();
    let said = "";
    let clientSaw: string | undefined;
    let bench: Answer | undefined;
    const answer = await forge(["sim", "serve", "demo", "--json", "--profile", "perfect"], {
      cwd,
      started(child) {
        child.stdout?.once("data", (piece: Buffer) => {
          said = piece.toString();
          void (async () => {
            const { openai } = JSON.parse(said) as { openai: string }; // one line, written at once
            const client = new OpenAI({ apiKey: "none", baseURL: openai, maxRetries: 0 });
            const messages = [{ role: "user" as const, content: "Name this conversation." }];
            clientSaw = (await client.chat.completions.create({ model: "sim-1", messages })).system_fingerprint;
            const args = [
              "bench",
              "demo",
              "--config",
              "bare",
              "--filter",
              "greet",
              "--model",
              "local/sim-1",
              "--base-url",
              openai,
              "--yes",
            ];
            bench = await forgeHere([...args, "--sandbox", "local-unsafe", "--out", "job", "--json"], { cwd });
          })().finally(() => child.kill("SIGINT"));
        });
      },
    });
    expect(said).toMatch(/^\{"openai":"http:\/\/127\.0\.0\.1:\d+\/v1","anthropic":"http:\/\/127\.0\.0\.1:\d+","tasks":6\}\n$/);
    expect(clientSaw).toBe("forge-sim");
    expect(bench?.code, bench?.stderr).toBe(0);
    const end = jsonLines(bench?.stdout ?? "").find((event) => event["type"] === "job.end");
    expect(end?.["result"]).toMatchObject({ simulated: true, configurations: [{ passed: 1, simulated: true }] });
    expect(answer).toMatchObject({ code: 0, stderr: "" });
  }, 120_000);
});
