import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AnyMiddleware } from "../../harness/contract/middleware.ts";
import { builtinMiddleware } from "../../middleware/registry.ts";
import { runFixture, type FixtureTool, type ScriptedReply } from "../../testing.ts";
import { bash, say, write } from "./workspace.ts";

const four: readonly AnyMiddleware[] = Object.values(builtinMiddleware).map((definition) =>
  definition.create(definition.options.parse({})),
);
const subsets = Array.from({ length: 16 }, (_, mask) => four.filter((_one, bit) => mask & (1 << bit)));

const tools: Record<string, FixtureTool> = {
  bash: ({ args }) => {
    const command = String(args["command"]);
    const check = command.startsWith("npm test") ? { command, passed: command === "npm test" } : undefined;
    return {
      text: `said ${command}`,
      ...(check?.passed === false ? { status: "error" } : {}),
      effects: { edited: [], ...(check ? { check } : {}) },
    };
  },
  write: ({ args }) => ({ text: "written", effects: { edited: [String(args["path"])] } }),
};

interface Said {
  readonly name: string;
  readonly turn: number;
  readonly what: string;
}

async function interventions(middleware: readonly AnyMiddleware[], script: readonly ScriptedReply[]): Promise<Said[]> {
  const run = await runFixture({
    middleware,
    // A run that is sent back goes on to the next reply; at the end it is done whatever it is told.
    script: (_request, { ordinal }) => script[ordinal] ?? say("DONE"),
    task: "Write out.txt.",
    tools,
    exec: (command) => (command.includes("@%s") ? "@cwd /app\n@end \n" : "missing 0\n"),
    model: { name: "openai/gpt-5.2", effort: "xhigh" },
    limits: { turns: 40 },
  });
  let turn = 0;
  return run.events.flatMap((event) => {
    if (event.t === "model.request") turn++;
    if (event.t !== "middleware") return [];
    return [
      {
        name: String(event.d["name"]),
        turn,
        what: JSON.stringify([event.lane, event.d["phase"], event.d["change"], event.d["text"] ?? null, event.d["why"]]),
      },
    ];
  });
}

/** With one of them removed, what the others did before the first turn at which it had intervened is the same. Answers how much that was. */
function othersAgree(withIt: readonly Said[], without: readonly Said[], removed: string): number {
  const first = withIt.find((one) => one.name === removed)?.turn ?? Number.POSITIVE_INFINITY;
  const before = (all: readonly Said[]): Said[] => all.filter((one) => one.name !== removed && one.turn < first);
  expect(before(without)).toEqual(before(withIt));
  return before(withIt).length;
}

/** Everything happens in it that one of the four minds, first of all nothing. */
const eventful: readonly ScriptedReply[] = [
  bash("ls"),
  bash("cat a"),
  ...Array.from({ length: 6 }, (_, i) => write("out.py", `${i}`)),
  say("Let me now run it."),
  ...Array.from({ length: 4 }, () => bash("npm test --all")),
  say("DONE"),
  bash("npm test"),
  say("I wrote out.txt."),
];

describe("all 16 subsets of the four", () => {
  it.each(subsets.map((subset) => [subset.map((one) => one.name).join(" + ") || "none", subset] as const))(
    "%s: run one scripted task to its end, and exactly these intervene",
    async (_, subset) => {
      const said = await interventions(subset, eventful);
      expect(new Set(said.map((one) => one.name))).toEqual(new Set(subset.map((one) => one.name)));
    },
  );

  it("with one removed, the others' interventions are equal up to the first turn at which it had intervened", async () => {
    const said = await Promise.all(subsets.map((subset) => interventions(subset, eventful)));
    let compared = 0;
    for (const [mask, withIt] of said.entries()) {
      for (const [bit, removed] of four.entries()) {
        if (mask & (1 << bit)) compared += othersAgree(withIt, said[mask ^ (1 << bit)] ?? [], removed.name);
      }
    }
    expect(compared).toBeGreaterThan(20);
  });

  it("so it is for any script", async () => {
    const reply = fc.constantFrom(
      bash("ls"),
      bash("npm test"),
      bash("npm test --all"),
      write("out.py", "1"),
      write("b.csv", "1"),
      say("DONE"),
      say("I wrote out.txt."),
      { calls: [bash("ls").calls[0], write("out.py", "2").calls[0]] } as ScriptedReply,
    );
    const property = fc.asyncProperty(
      fc.array(reply, { maxLength: 14 }),
      fc.integer({ min: 1, max: 15 }),
      fc.nat(3),
      async (script, mask, bit) => {
        const subset = subsets[mask] ?? [];
        const removed = subset[bit % subset.length];
        const rest = subset.filter((one) => one !== removed);
        if (removed) othersAgree(await interventions(subset, script), await interventions(rest, script), removed.name);
      },
    );
    await expect(fc.assert(property, { numRuns: 30 })).resolves.toBeUndefined();
  });
});
