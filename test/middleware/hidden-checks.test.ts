import { describe, expect, it } from "vitest";
import type { AnyMiddlewareDefinition } from "../../harness/contract/middleware.ts";
import type { Check } from "../../harness/contract/messages.ts";
import { completionGate, completionGate1 } from "../../middleware/completion-gate.ts";
import { loopDetection, loopDetection1 } from "../../middleware/loop-detection.ts";
import { runFixture, type ScriptedReply } from "../../testing.ts";
import { bash, say, write } from "./workspace.ts";

/** What was said to a model whose commands ran these checks; the file of a `write` counts as edited. */
async function told(
  script: readonly ScriptedReply[],
  checks: Readonly<Record<string, Check>>,
  definition: AnyMiddlewareDefinition = completionGate,
  o: object = {},
) {
  const run = await runFixture({
    middleware: [definition.create(definition.options.parse(o))],
    script: [...script, ...Array.from({ length: 4 }, () => say("DONE"))],
    tools: {
      bash: ({ args }) => {
        const check = checks[String(args["command"])];
        return { text: "said", effects: { edited: [], ...(check ? { check } : {}) } };
      },
      write: ({ args }) => ({ effects: { edited: [String(args["path"])] } }),
    },
  });
  expect((await run.replay()).exact).toBe(true);
  return run.interventions.map(({ text = "" }) => text);
}
const piped = "make 2>&1 | tail -20";
const checks = {
  [piped]: { command: "make", result: "unknown", why: "masked" },
  make: { command: "make", result: "passed" },
  "make test": { command: "make test", result: "failed" },
  "make slow": { command: "make slow", result: "unknown", why: "timeout" },
} as const;

describe("a check whose result is hidden", () => {
  it("is never said to have failed; the gate asks for it without the pipe, and says why", async () => {
    const [first, second, ...more] = await told([write("a.c", ""), bash(piped), say("DONE"), bash("make")], checks);
    expect(first).toContain("another program's (a pipe, or what follows it). Run it by itself: make");
    expect(first).not.toContain("failed");
    expect([second, more]).toEqual([undefined, []]);
  });

  it("is said to have been ended by its time limit where it was", async () => {
    const [first] = await told([write("a.c", ""), bash("make slow")], checks);
    expect(first).toContain(
      "The last check was ended by its time limit, so its result is not known. Run it so that it comes to its end: make slow",
    );
  });

  it("changes nothing after a check that passed and no edit since", async () => {
    expect(await told([write("a.c", ""), bash("make"), bash(piped)], checks)).toEqual([]);
    expect(await told([write("a.c", ""), bash("make"), write("a.c", "1"), bash(piped)], checks)).not.toEqual([]);
  });

  it("does not undo a failure, and is asked for where only failures are looked at", async () => {
    const [failed] = await told([bash(piped), bash("make test")], checks, completionGate, { requirePassAfterLastEdit: false });
    expect(failed).toContain("The last check failed: make test");
    const [hidden] = await told([bash("make test"), bash(piped)], checks, completionGate, { requirePassAfterLastEdit: false });
    expect(hidden).toContain("Run it by itself: make");
    expect(await told([bash(piped)], checks, completionGate, { requirePassAfterLastEdit: false })).toEqual([]);
  });

  it("counted as failed in the first version, which reads what was recorded in its time as well", async () => {
    const said = await told([write("a.c", ""), bash(piped)], checks, completionGate1);
    expect(said[0]).toContain("The last check failed: make");
    const recorded = { [piped]: { command: "make", passed: false } };
    for (const version of [completionGate1, completionGate]) {
      const [refusal] = await told([write("a.c", ""), bash(piped)], recorded, version);
      expect(refusal).toContain("The last check failed: make");
      expect(await told([write("a.c", ""), bash(piped)], { [piped]: { command: "make", passed: true } }, version)).toEqual([]);
    }
  });

  it("sets no count back, and is no failure that comes up again", async () => {
    const edits = Array.from({ length: 5 }, (_, i) => [write("a.c", `${i}`), bash(piped)]).flat();
    for (const version of [loopDetection1, loopDetection]) {
      const said = await told(edits, checks, version);
      expect(said.some((text) => text.includes("a.c has been edited 5 times"))).toBe(true);
    }
  });
});
