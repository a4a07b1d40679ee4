import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failedRuns } from "../analyzer/analyst/reading.ts";
import { startModelServer } from "../servers/model-server.ts";
import type { ReceivedRequest, ScriptedReply } from "../servers/scripted-reply.ts";
import { sampled } from "../needs.ts";
import { forgeHere } from "../cli/forge-here.ts";
import { built, cleanUp, emptyFolder, forge, jsonLines } from "./forge.ts";

beforeAll(built);
afterAll(cleanUp);

const turns = [
  { name: "run_outline", args: {} },
  { name: "verifier_report", args: {} },
  { name: "run_read", args: { step: 1 } },
  { name: "run_read", args: { step: 2 } },
];

/** A function of the conversation alone: the fifth turn hands in a finding, the sixth ends. */
function replyTo({ body }: ReceivedRequest): ScriptedReply {
  const messages = body["messages"] as { role: string; content: unknown }[]; // as a client sends them
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const next = turns[turn];
  if (next) return { calls: [next] };
  if (turn > turns.length) return { text: "It summed the wrong column." };
  const n = /table (\d)/.exec(JSON.stringify(messages))?.[1] ?? "0";
  const finding = {
    kind: "wrong-cause",
    seq: 6,
    quote: `first column of table ${n} is 4`,
    why: "It summed the wrong column.",
    lever: "none",
    confidence: "medium",
  };
  return { calls: [{ name: "submit_finding", args: finding }] };
}

/** As a line of /etc/hosts would: a name that is none of this machine's leads to its server. */
const namesOfThisMachine = `
import dns from "node:dns";
const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(name === "paid.example.com" ? "127.0.0.1" : name, ...rest);`;

describe("forge analyze --model", { timeout: 300_000 }, () => {
  it("ended by force at any moment, goes on each time, pays for nothing twice and replays exactly", async () => {
    let child: ChildProcess | undefined;
    // The first request, one in a conversation, its last, the first of the next.
    const moments = sampled([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 2, 5, 6]);
    let [answered, killed] = [0, 0];
    const server = await startModelServer({
      always(request) {
        if (!Array.isArray(request.body["tools"])) return { text: "no cluster" };
        if (answered === moments[killed]) {
          child?.kill("SIGKILL");
          return { silence: "hang" };
        }
        answered++;
        return replyTo(request);
      },
    });
    const cwd = emptyFolder();
    failedRuns(join(cwd, "runs"), 2);
    const args = ["analyze", "runs", "--model", "local/reader", "--base-url", server.url, "--parallel", "1", "--json"];
    try {
      for (; killed < moments.length; killed++) {
        const { code } = await forge(args, { cwd, started: (started) => (child = started) });
        expect(code).toBeNull();
      }
      const { stdout, stderr, code } = await forge(args, { cwd });
      expect(code, stderr).toBe(0);
      expect(answered).toBe(12); // six replies for each of two runs
      expect(jsonLines(stdout)[0]).toMatchObject({ analyst: { read: 2, claims: 2, dropped: {}, unread: [] } });
      const replay = await forgeHere(["replay", ".forge/analyses"], { cwd });
      expect(replay.stdout).toMatch(/3 runs: 3 exact/);
      expect((await forgeHere(["issues", "show", "1"], { cwd })).stdout).toContain("#1");
    } finally {
      await server.close();
    }
  });

  it("asks before paid work, and asks nothing of the model where nobody says yes", async () => {
    const server = await startModelServer({ always: replyTo });
    const cwd = emptyFolder();
    failedRuns(join(cwd, "runs"), 1);
    try {
      const env = {
        OPENAI_API_KEY: "key",
        OPENAI_BASE_URL: server.url.replace("127.0.0.1", "paid.example.com"),
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(namesOfThisMachine)}`,
      };
      const { stderr, code } = await forge(["analyze", "runs", "--model", "openai/gpt-5-mini"], { cwd, env });
      expect(stderr).toMatch(
        /Paid work: openai\/gpt-5-mini reads 1 failed run; estimated: 48k tokens in, 2.1k out, about \$\d\.\d+ without a cache; no cost limit/,
      );
      expect(stderr).toContain("add --yes to continue");
      expect(code).toBe(3);
      expect(server.requests).toEqual([]);
      const lonely = await forgeHere(["analyze", "runs", "--one-call"], { cwd });
      expect(lonely.stderr).toContain("--one-call needs --model provider/name");
      expect(lonely.code).toBe(2);
    } finally {
      await server.close();
    }
  });
});
