import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createBenchPorts } from "../../../assembly/create-bench-ports.ts";
import { configRegistry } from "../../../assembly/registry.ts";
import type { KeyLine } from "../../../evals/simulated-corpus/corpus-key.ts";
import { writeCorpus, type CorpusRequest } from "../../../evals/simulated-corpus/write-corpus.ts";
import type { AssistantPart } from "../../../harness/contract/messages.ts";
import { benchSources } from "../../../harness/config/config-source.ts";
import { loadConfig } from "../../../harness/config/load-config.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { faults, type Fault } from "../../../harness/models/simulated/faults/fault-kinds.ts";
import * as lines from "../../../harness/models/simulated/play/lines.ts";
import { loadSuite } from "../../../tasks/formats/load-suite.ts";
import { loadTrace, type LoadedTrace } from "../../../traces/read/load-trace.ts";
import { verifyTrace } from "../../../traces/replay/verify/verify-trace.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 }); // real runs on a machine that may be busy

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

type Asked = Partial<Pick<CorpusRequest, "seed" | "faults" | "stop" | "onEvent">> & { readonly runs: number; readonly config?: string };
async function corpus(o: Asked) {
  const folder = await mkdtemp(join(tmpdir(), "forge-corpus-"));
  folders.push(folder);
  const { runs, seed = 1, stop, onEvent } = o;
  const sources = benchSources({
    config: o.config ?? "bare",
    cwd: folder,
    flags: { model: { name: "sim/one-fault" } },
    defaultModel: "sim/one-fault",
  });
  const config = await loadConfig(sources, configRegistry);
  const out = join(folder, "corpus");
  // One task of the demo passes without its plan's last step, so that a fault there does no harm.
  const suite = await loadSuite("demo", { wants: (name) => name !== "fix-backup" });
  const write = writeCorpus({
    suite,
    suiteName: "demo",
    config,
    runs,
    seed,
    faults: o.faults ?? faults,
    out,
    sandbox: "local",
    jobs: 2,
    createPorts: (simulate) => createBenchPorts(process.env, { simulate }),
    ...(stop && { stop }),
    ...(onEvent && { onEvent }),
  });
  return { folder, out, key: await write };
}

interface At {
  readonly text: string;
  readonly commands: readonly string[];
  readonly calls: number;
  readonly stop: string;
  readonly event: RunEvent;
  readonly last: boolean;
}

/** What the event at which a fault happens looks like, to somebody who knows nothing of the key. */
const signature: Readonly<Record<Fault, (at: At) => boolean>> = {
  "skips-check": ({ calls, last }) => calls === 0 && last,
  "stops-early": ({ text, calls, last }) => text === lines.intention && calls === 0 && last,
  "repeats-failing-call": ({ commands }) => commands[0] === lines.failingCommand,
  "edits-one-file-again-and-again": ({ commands }) => commands[0] === lines.draftCommand(0),
  "prints-call": ({ text, calls, last }) => text.includes('"name": "bash"') && calls === 0 && last,
  "assumes-missing-tool": ({ commands }) => commands[0] === lines.missingToolCommand,
  "claims-unwritten-file": ({ text, last }) => text.includes("I have written") && last,
  "ignores-failing-check": ({ calls, last }) => calls === 0 && last,
  "misreads-output": ({ text, last }) => text === lines.sawNothing && last,
  "bad-arguments": ({ event }) => JSON.stringify(event.d).includes('"args":{"cmd":'),
  "alternates-two-calls": ({ commands }) => commands[0] === lines.alternating[0],
  "waits-for-ever": ({ commands }) => commands[0] === lines.endlessCommand,
  "over-thinks": ({ event }) => JSON.stringify(event.d).includes('"type":"thinking"'),
  "reads-too-much": ({ commands }) => commands[0] === lines.dumpCommand(0),
  "cuts-reply-off": ({ stop, calls }) => stop === "length" && calls === 0,
  "reaches-for-reward": ({ commands }) => commands[0] === lines.rewardCommand,
  "out-of-its-depth": ({ calls, last }) => calls > 0 && !last,
  "refuses-task": ({ stop, last }) => stop === "refusal" && last,
  "rate-limited": ({ event }) => event.d["kind"] === "rate_limit" && event.d["status"] === 429,
  overloaded: ({ event }) => event.d["kind"] === "overloaded",
  "breaks-off": ({ event }) => event.d["kind"] === "stream",
};

function at(trace: LoadedTrace, seq: number): At {
  const i = trace.lines.findIndex((line) => line.seq === seq);
  const event = trace.events[i];
  if (!event) throw new Error(`no event ${seq}`);
  const message = event.d["message"] as { content?: AssistantPart[] } | string | undefined; // a reply's, or a failure's words
  const content = typeof message === "object" ? (message.content ?? []) : [];
  const calls = content.flatMap((part) => (part.type === "call" ? [part] : []));
  return {
    event,
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(),
    commands: calls.map(({ args }) => String(args["command"])),
    calls: calls.length,
    stop: String(event.d["stop"]),
    last: !trace.events.slice(i + 1).some(({ t }) => t === "model.request"),
  };
}

describe("a corpus", () => {
  let made: Awaited<ReturnType<typeof corpus>>;
  const key = (): readonly KeyLine[] => made.key;
  beforeAll(async () => {
    // The first version of the loop mends nothing by itself.
    made = await corpus({ runs: faults.length, config: "bare@1" });
  });

  it("has a sealed run for each line of its key, and each fault once", async () => {
    expect(
      key()
        .map(({ fault }) => fault)
        .toSorted(),
    ).toEqual([...faults].toSorted());
    expect(new Set(key().map(({ run }) => run)).size).toBe(faults.length);
    for (const { trace } of key()) expect((await verifyTrace(join(made.out, trace))).sealed).toBe(true);
    const written = (await readFile(join(made.out, "key.jsonl"), "utf8")).trimEnd().split("\n");
    expect(written.map((line): unknown => JSON.parse(line))).toEqual(key());
  });

  it.each(faults)("shows %s at the event that the key names, and not before", async (fault) => {
    const line = key().find((each) => each.fault === fault);
    if (!line || line.seq === null) throw new Error("it did not happen");
    expect(line.at).toBe(`${line.run}:${line.seq}`);
    const trace = await loadTrace(join(made.out, line.trace));
    expect(signature[fault](at(trace, line.seq))).toBe(true);
    const earlier = trace.lines.filter(({ t, seq }) => (t === "model.response" || t === "model.attempt") && seq < (line.seq ?? 0));
    // Of a wrong approach no single event can be told from right work.
    if (fault !== "out-of-its-depth") expect(earlier.filter(({ seq }) => signature[fault](at(trace, seq)))).toEqual([]);
  });

  it("fails every run whose fault is the model's, and none whose service failed for a while", () => {
    const passed = key()
      .filter((line) => line.passed)
      .map(({ fault }) => fault);
    expect(passed.toSorted()).toEqual(["breaks-off", "overloaded", "rate-limited"]);
  });

  it("passes where the loop itself mends the fault: a printed call and a reply cut at its length are answered", async () => {
    const { key: mended } = await corpus({ runs: 2, faults: ["prints-call", "cuts-reply-off"] });
    expect(mended.map(({ passed }) => passed)).toEqual([true, true]);
  });

  it("says nothing of the fault in the job itself", async () => {
    const job = join(made.out, "job");
    const files = (await readdir(job, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    // "overloaded" is also what a provider calls it.
    const names = faults.filter((fault) => fault !== "overloaded");
    for (const { parentPath, name } of files) {
      const text = await readFile(join(parentPath, name), "latin1");
      expect(names.filter((fault) => text.includes(fault))).toEqual([]);
    }
  });
});

describe("writing a corpus", () => {
  it("gives the same key for the same seed, and another one for another", async () => {
    const some: readonly Fault[] = ["stops-early", "prints-call", "skips-check", "breaks-off"];
    const of = async (seed: number): Promise<readonly KeyLine[]> => (await corpus({ runs: 1, faults: some, seed })).key;
    const [one, same, other] = [await of(1), await of(1), await of(2)];
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
    expect(one).toHaveLength(1);
  });

  it("lets the lever's middleware meet the fault: what it prevents did not happen, what it mends passes", async () => {
    const { key } = await corpus({ runs: 3, faults: ["stops-early", "claims-unwritten-file"], config: "standard" });
    expect(key.filter(({ passed }) => passed).length).toBeGreaterThanOrEqual(2);
    expect(key.every(({ lever }) => lever === "completion-gate")).toBe(true);
  });

  it("leaves nothing behind when it is stopped", async () => {
    const stop = new AbortController();
    const onEvent: CorpusRequest["onEvent"] = ({ type }) => type === "trial.end" && stop.abort(new Error("interrupted"));
    await expect(corpus({ runs: 40, stop: stop.signal, onEvent })).rejects.toThrow("interrupted");
    expect(await readdir(folders.at(-1) ?? "")).toEqual([]);
  });
});
