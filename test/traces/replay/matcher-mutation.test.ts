import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { middleware, type AnyMiddleware, type Middleware } from "../../../harness/contract/middleware.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { ModelError } from "../../../harness/contract/model-error.ts";
import { runFixture, type FixtureOptions } from "../../../testing.ts";
import type * as Load from "../../../traces/read/load-trace.ts";
import type * as Record from "../../../traces/record/record-trace.ts";
import type * as Replay from "../../../traces/replay/replay-trace.ts";

const repository = join(import.meta.dirname, "..", "..", "..");
const root = mkdtempSync(join(tmpdir(), "forge-mutants-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;

/** What recording and replay are made of, as they are or with one field of the matcher left out. */
interface Parts {
  readonly loadTrace: typeof Load.loadTrace;
  readonly recordTrace: typeof Record.recordTrace;
  readonly replayTrace: typeof Replay.replayTrace;
}
interface Mutation {
  readonly field: string;
  readonly file: string;
  readonly replace: readonly (readonly [string, string])[];
}

const modelKey = '`${lane}|${ordinal}|${String(d["attempt"])}`';
const modelAsk = "`${lane}|${ordinal}|${attempt}`";
const readKey = "`${lane}|${port}|${op}|${argsDigest}`";
const without = (field: string): Mutation => ({
  field: `${field} of a question to a port`,
  file: "replay/recording/open-recording.ts",
  replace: [[readKey, readKey.replace(`\${${field}}`, "")]],
});
const mutations: readonly Mutation[] = [
  {
    field: "the lane of a model call",
    file: "replay/recording/open-recording.ts",
    replace: [
      [modelKey, modelKey.replace("${lane}", "")],
      [modelAsk, modelAsk.replace("${lane}", "")],
    ],
  },
  {
    field: "the ordinal of a model call",
    file: "replay/recording/open-recording.ts",
    replace: [
      [modelKey, modelKey.replace("${ordinal}", "")],
      [modelAsk, modelAsk.replace("${ordinal}", "")],
    ],
  },
  {
    field: "the attempt of a model call",
    file: "replay/recording/open-recording.ts",
    replace: [
      [modelKey, "`${lane}|${ordinal}|`"],
      [modelAsk, modelAsk.replace("${attempt}", "")],
    ],
  },
  { field: "the ordinal of a tool call in its lane", file: "replay/recording/open-recording.ts", replace: [["[nth]", "[0]"]] },
  ...["lane", "port", "op", "argsDigest"].map(without),
  {
    field: "the lane of an event",
    file: "replay/compare/compare-events.ts",
    replace: [
      ["[`${line.lane}#${line.n}`, i]", "[`#${line.n}`, i]"],
      ["expected.get(`${given.lane}#${given.n}`)", "expected.get(`#${given.n}`)"],
    ],
  },
  {
    field: "the ordinal of an event",
    file: "replay/compare/compare-events.ts",
    replace: [
      ["[`${line.lane}#${line.n}`, i]", "[line.lane, i]"],
      ["expected.get(`${given.lane}#${given.n}`)", "expected.get(given.lane)"],
    ],
  },
  { field: "the type of an event", file: "format/line.ts", replace: [['{"t":${JSON.stringify(event.t)},"lane"', '{"lane"']] },
  { field: "the data of an event", file: "format/line.ts", replace: [['"n":${event.n},"d":${data}}`);\n}', '"n":${event.n}}`);\n}']] },
];

/** Parts with `mutation` in them; undefined: as they are. Throws where the source no longer has what is to be replaced. */
async function partsWith(mutation: Mutation | undefined): Promise<Parts> {
  const folder = join(root, `parts-${made++}`);
  cpSync(join(repository, "traces"), join(folder, "traces"), { recursive: true });
  for (const name of ["harness", "node_modules"]) symlinkSync(join(repository, name), join(folder, name));
  if (mutation) {
    const path = join(folder, "traces", mutation.file);
    let text = readFileSync(path, "utf8");
    for (const [from, to] of mutation.replace) {
      expect(text, `${mutation.file} has ${from}`).toContain(from);
      text = text.replace(from, to);
    }
    writeFileSync(path, text);
  }
  const part = async <T>(path: string): Promise<T> => (await import(/* @vite-ignore */ join(folder, "traces", path))) as T; // the file's own exports
  const { loadTrace } = await part<typeof Load>("read/load-trace.ts");
  const { recordTrace } = await part<typeof Record>("record/record-trace.ts");
  const { replayTrace } = await part<typeof Replay>("replay/replay-trace.ts");
  return { loadTrace, recordTrace, replayTrace };
}

const none = z.strictObject({});
const one = (name: string, build: Omit<Middleware, "name" | "version">): AnyMiddleware =>
  middleware(name, "1", none, () => build).create({});
/** Asks the same in two lanes and gets other answers; asks twice in one, with other arguments; asks two ports. */
const asks = (name: string): AnyMiddleware =>
  one(name, {
    async start(run) {
      const [first, second] = [await run.exec("one"), await run.exec("two")];
      const file = await run.readFile("note.txt");
      await run.writeFile("note.txt", "x");
      return { messages: [`${first.stdout} ${second.stdout} ${file} ${run.now()} ${run.random()}`] };
    },
  });
const twice = one("twice", {
  async tool(given, next) {
    const first = await next(given);
    return first.status === "error" ? next(given) : first;
  },
});

let answers = 0;
const options = (): FixtureOptions => ({
  middleware: [asks("left"), asks("right"), twice],
  files: { "note.txt": "a note" },
  exec: (command) => `${command} ${answers++}`,
  script: (_request, { lane, ordinal }) => {
    if (lane !== "main") return { text: `helped in ${lane}` };
    const calls = [
      { calls: [{ name: "flaky", args: {} }], failures: [new ModelError("overloaded", "busy"), new ModelError("rate_limit", "slow down")] },
      {
        calls: [
          { name: "agent", args: {} },
          { name: "look", args: {} },
        ],
      },
    ];
    return calls[ordinal] ?? { text: "done" };
  },
  tools: {
    flaky: () => (answers++ % 2 === 0 ? { text: "no", status: "error" } : { text: "yes", status: "error" }),
    look: () => "looked",
    agent: async (_call, context) => String((await context.spawn({ task: "help" }))["answer"]),
  },
});

/** The first law that these parts break; undefined: they keep all. */
async function broken(parts: Parts, events: readonly RunEvent[], list: readonly AnyMiddleware[]): Promise<string | undefined> {
  const replayed = async (changed: readonly RunEvent[]): Promise<Replay.ReplayVerdict> => {
    const folder = join(root, `run-${made++}`);
    const trace = parts.recordTrace(folder, { clock: { now: () => 0, sleep: async () => undefined }, micros: () => 0, sync: false });
    for (const event of changed) trace.emit(event);
    trace.seal(null);
    return parts.replayTrace(await parts.loadTrace(folder), { assemble: async () => list });
  };
  const change = (at: (event: RunEvent) => boolean, to: (event: RunEvent) => RunEvent): RunEvent[] => {
    const index = events.findIndex(at);
    expect(index).toBeGreaterThanOrEqual(0);
    return events.map((event, i) => (i === index ? to(event) : event));
  };
  try {
    const whole = await replayed(events);
    if (!whole.exact || whole.equal !== events.length) return `a run is not exact: ${whole.divergence?.what}`;
    const port = await replayed(
      change(
        ({ t }) => t === "port.read",
        (event) => ({ ...event, d: { ...event.d, port: "files" } }),
      ),
    );
    if (!port.divergence?.what.includes("the recording returned files.exec; the replay calls exec.exec"))
      return "another port is not told as such";
    const op = await replayed(
      change(
        ({ t }) => t === "port.read",
        (event) => ({ ...event, d: { ...event.d, op: "run" } }),
      ),
    );
    if (!op.divergence?.what.includes("the recording returned exec.run; the replay calls exec.exec"))
      return "another operation is not told as such";
    const type = await replayed(
      change(
        ({ t }) => t === "agent.join",
        (event) => ({ ...event, t: "limit.hit" }),
      ),
    );
    if (type.exact) return "another type is taken for the same";
    const data = await replayed(
      change(
        ({ t }) => t === "run.end",
        (event) => ({ ...event, d: { ...event.d, answer: "else" } }),
      ),
    );
    return data.exact ? "other data are taken for the same" : undefined;
  } catch (error) {
    return `it threw: ${String(error)}`;
  }
}

describe("the matcher of a replay", { timeout: 120_000 }, () => {
  let events: readonly RunEvent[] = [];
  const list = options().middleware ?? [];
  beforeAll(async () => {
    ({ events } = await runFixture({ ...options(), middleware: list }));
  });

  it("keeps all laws as it is", async () => {
    expect(await broken(await partsWith(undefined), events, list)).toBeUndefined();
  });

  it.each(mutations.map((mutation) => [mutation.field, mutation] as const))("needs %s", async (_field, mutation) => {
    const law = await broken(await partsWith(mutation), events, list);
    expect(law).toBeDefined();
    expect(law).not.toMatch(/SyntaxError|ReferenceError|Cannot find/); // the mutant runs, and is wrong
  });
});
