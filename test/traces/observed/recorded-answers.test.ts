import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AssistantPart, Message } from "../../../harness/contract/messages.ts";
import type { ResolvedConfig } from "../../../harness/contract/resolved-config.ts";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { sha256 } from "../../../harness/hash/sha256.ts";
import type { JsonObject } from "../../../harness/json.ts";
import { observeRun, type SeenRequest } from "../../../traces/observed/observe-run.ts";
import { createRecordedAnswers } from "../../../traces/observed/recorded-answers.ts";
import { clientNormalizers, resultNormalizers } from "../../../traces/replay/tools/normalizers.ts";

const config: ResolvedConfig = {
  name: "other",
  hash: "0".repeat(64),
  model: { name: "sim/perfect", protocol: "native", maxOutputTokens: 10 },
  system: [],
  tools: [],
  middleware: [],
  limits: {},
  agent: { name: "command", wire: "openai-chat", command: "x", files: {}, env: {}, args: [] },
};
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const said = (text: string, ...ids: string[]): Message => ({
  role: "assistant",
  content: [{ type: "text", text }, ...ids.map((id): AssistantPart => ({ type: "call", id, name: "bash", args: { command: id } }))],
});
const result = (callId: string, text = `of ${callId}`): Message => ({
  role: "tool",
  callId,
  name: "bash",
  status: "ok",
  content: [{ type: "text", text }],
});
const bash = { name: "bash", description: "Runs a command.", parameters: { type: "object" } };

interface Asked {
  readonly messages: readonly Message[];
  readonly system?: readonly string[];
  readonly tools?: boolean;
  readonly fields?: JsonObject;
  readonly stream?: boolean;
}
function seenOf({ messages, system = ["Be good."], tools = true, fields = {}, stream = true }: Asked): SeenRequest {
  const request = {
    system: system.map((text, i) => ({ name: `system ${i + 1}`, text })),
    messages,
    tools: tools ? [bash] : [],
    params: { maxOutputTokens: 10 },
  };
  const sha = sha256(JSON.stringify([request, fields, stream]));
  return { request, observed: { wire: "openai-chat", path: "/v1/chat/completions", stream, sha256: sha, fields, sinceMs: 1 } };
}

type Step = { readonly asked: Asked; readonly reply?: Message; readonly failures?: number };

/** A recorded run of these requests, ready to answer. */
function recording(steps: readonly Step[], o: { readonly limited?: boolean; readonly workdir?: string } = {}) {
  const events: RunEvent[] = [];
  const model = { provider: "sim", name: "perfect", protocol: "native", priceTable: null } as const;
  const run = observeRun(
    { config, task: "do it", model, meta: {} },
    { sink: { emit: (event) => void events.push(JSON.parse(JSON.stringify(event)) as RunEvent), flush: async () => undefined } },
  );
  for (const { asked, reply = said("ok"), failures = 0 } of steps) {
    for (let i = 0; i < failures; i++) run.failed(run.request(seenOf(asked)), { kind: "server", message: "no", status: 500, activeMs: 1 });
    run.replied(run.request(seenOf(asked)), {
      message: reply as Extract<Message, { role: "assistant" }>, // `said` makes no other
      calls: reply.content.flatMap((part) => (part.type === "call" ? [{ id: part.id, name: part.name, args: part.args }] : [])),
      usage: { input: 10, output: 1, cached: 0 },
      stop: "end",
      costUsd: null,
      activeMs: 5,
      observed: {},
    });
  }
  if (o.limited) run.limit({ limit: "turns", used: 1, allowed: 1 });
  run.end({ type: "done" });
  const workdir = o.workdir ?? "/app";
  const answers = createRecordedAnswers(events, {
    model: "m",
    asked: "m",
    places: { recorded: { "<workdir>": "/app", "<home>": "/home" }, now: { "<workdir>": workdir, "<home>": "/home" } },
  });
  /** The words of the reply, or what came in its place. */
  const ask = (asked: Asked): string => {
    const answer = answers.answer(seenOf(asked));
    if (answer.type !== "try") return answer.type;
    if (answer.tried.type === "failed") return "failed";
    return answer.tried.reply.message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  };
  return { ask, answers };
}

const main = [
  { asked: { messages: [user("do it")] }, reply: said("first", "a", "b") },
  { asked: { messages: [user("do it"), said("first", "a", "b"), result("a"), result("b")] }, reply: said("second") },
] as const;
const title: Step = { asked: { messages: [user("a title, please")], tools: false }, reply: said("title") };
const sub = [
  { asked: { messages: [user("look around")], system: ["You look."] }, reply: said("looked") },
  { asked: { messages: [user("look around"), said("looked"), user("more")], system: ["You look."] }, reply: said("looked more") },
] as const;

describe("a recorded run that answers its agent again", () => {
  it("serves side calls and subagents in any order, and each conversation in its own", () => {
    const steps = [main[0], title, sub[0], sub[1], main[1]];
    fc.assert(
      fc.property(fc.shuffledSubarray(["main", "main", "title", "sub", "sub"], { minLength: 5 }), (order) => {
        const { ask, answers } = recording(steps);
        const next: Record<string, number> = { main: 0, title: 0, sub: 0 };
        const lists: Record<string, readonly Step[]> = { main, title: [title], sub };
        for (const name of order) {
          const step = lists[name]?.[(next[name] = (next[name] ?? 0) + 1) - 1];
          if (!step) throw new Error("no such step");
          expect(ask(step.asked)).toBe(step.reply?.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
        }
        expect(answers.isOver()).toBe(true);
        expect(answers.soFar()).toMatchObject({ requests: 5, asked: 5, sameBytes: 5, levelled: [] });
      }),
    );
  });

  it("serves the failures of a request before its reply, to each try one", () => {
    const { ask } = recording([{ asked: main[0].asked, reply: said("at last"), failures: 2 }]);
    expect([ask(main[0].asked), ask(main[0].asked), ask(main[0].asked), ask(main[0].asked)]).toEqual([
      "failed",
      "failed",
      "at last",
      "lost",
    ]);
  });

  it("takes a request out of its conversation's order for another one", () => {
    const { ask, answers } = recording([...main]);
    expect(ask(main[1].asked)).toBe("lost");
    expect(answers.soFar().other).toMatchObject({ type: "differs", number: 1, at: "main#1", part: "message 2 (assistant)" });
  });

  it("takes another message of a conversation, other tools and another field for a difference, and names the part", () => {
    const other = [
      [{ messages: [user("do that")] }, "message 1 (user)"],
      [{ ...main[0].asked, system: ["Be bad."] }, "system text 1"],
      [{ ...main[0].asked, fields: { top_p: 1 } }, "field top_p"],
      [{ ...main[0].asked, stream: false }, "stream"],
    ] as const;
    for (const [asked, part] of other) {
      const { ask, answers } = recording([...main]);
      expect(ask(asked)).toBe("lost");
      expect(answers.soFar().other).toMatchObject({ type: "differs", number: 1, part });
      expect(ask(main[0].asked)).toBe("lost"); // nothing is served after it
    }
  });

  it("takes a request for one too many where none of its kind is left, but a limit for the end where there was one", () => {
    const { ask, answers } = recording([main[0]]);
    ask(main[0].asked);
    expect(ask(title.asked)).toBe("lost");
    expect(answers.soFar().other).toMatchObject({ type: "extra", number: 2 });
    const limited = recording([main[0]], { limited: true });
    limited.ask(main[0].asked);
    expect(limited.ask(main[1].asked)).toBe("limit");
  });

  it("levels the order of results, dates, ids, paths and what commands print, and says which and how often", () => {
    const id = (n: number): string => `0123456${n}-89ab-4cde-8f01-23456789abcd`;
    const asked = (n: number, workdir: string): Asked => ({
      system: [`Today's date is 2026-11-2${n}. Working directory: ${workdir}/src`],
      fields: { metadata: { user_id: JSON.stringify({ device_id: `${n}`.repeat(64), session_id: id(n) }) } },
      messages: [user("do it"), said("first", "a", "b"), ...[result("a", `in 0.${n}s`), result("b")].toSorted(() => (n === 1 ? 1 : -1))],
    });
    const { ask, answers } = recording([main[0], { asked: asked(1, "/app"), reply: said("second") }], { workdir: "/tmp/forge-x/app" });
    ask(main[0].asked);
    expect(ask(asked(2, "/tmp/forge-x/app"))).toBe("second");
    const { levelled } = answers.soFar();
    expect(levelled.map(({ name, times }) => [name, times])).toEqual([
      ["drawn ids", 1],
      ["device ids", 1],
      ["sandbox paths", 1],
      ["today's date", 1],
      ["durations", 1],
      ["order of results", 1],
    ]);
    expect(levelled.find(({ name }) => name === "today's date")?.example).toEqual({ recorded: "2026-11-21", now: "2026-11-22" });
  });

  it("finds any change of a text, a number or a flag that no normalizer is for", () => {
    const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,6}$/);
    const asked = fc.record({
      system: fc.array(words, { minLength: 1, maxLength: 3 }),
      fields: fc.dictionary(fc.stringMatching(/^[a-z]{3,6}$/), fc.oneof(words, fc.integer({ min: 0, max: 9 }), fc.boolean()), {
        maxKeys: 3,
      }),
      messages: fc.tuple(words, words, words, words).map(([a, b, c, d]) => [user(a), said(b, "one"), result("one", c), user(d)]),
      stream: fc.boolean(),
    });
    fc.assert(
      fc.property(asked, fc.nat(), (given, at) => {
        const leaves = pathsOf(given);
        const path = leaves[at % leaves.length] ?? [];
        const changed = JSON.parse(JSON.stringify(given)) as Asked; // the same shape
        change(changed as unknown as JsonObject, path);
        const step = { asked: given, reply: said("ok") };
        expect(recording([step]).ask(given)).toBe("ok");
        const { ask, answers } = recording([step]);
        expect(ask(changed)).toBe("lost");
        expect(answers.soFar().other?.part).toMatch(
          path[0] === "system" ? /^system text/ : path[0] === "fields" ? /^field / : /^(message|stream)/,
        );
      }),
    );
  });
});

/** Places of what a request says, but for the names of kinds. */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null)
    return ["type", "role", "callId", "name", "id", "status"].includes(path.at(-1) ?? "") ? [] : [[...path]];
  return Object.entries(value).flatMap(([key, each]) => pathsOf(each, [...path, key]));
}
function change(value: JsonObject, [key = "", ...rest]: readonly string[]): void {
  const now = value[key];
  if (rest.length > 0) return change(now as JsonObject, rest); // by its path
  value[key] = typeof now === "string" ? `${now}x` : typeof now === "number" ? now + 1 : now !== true;
}

describe("the normalizers of requests", () => {
  const all = [...clientNormalizers, ...resultNormalizers];
  const piece = fc.constantFrom(
    "Today's date is ",
    "date: ",
    "<current_date>",
    "2026-11-26",
    "Thursday, November 26, 2026",
    "11/26/2026",
    "01234567-89ab-4cde-8f01-23456789abcd",
    `user_${"a".repeat(64)}`,
    `"device_id":"${"0".repeat(64)}"`,
    "OS Version: Linux 6.1.0-18-amd64",
    "Recent commits:\n",
    "0123abc Add\n",
    "Chunk ID: 0a1b2c\n",
    "127.0.0.1:45123",
    "/tmp/x1",
    "0.5s",
    " ",
    "\n",
    "x",
  );

  it("do nothing the second time", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((each) => each.join("")),
        ),
        (text) => {
          for (const one of all) expect(one.apply(one.apply(text))).toBe(one.apply(text));
        },
      ),
    );
  });

  it("change nothing outside their patterns: texts that differ elsewhere stay different", () => {
    fc.assert(
      fc.property(fc.array(piece), fc.stringMatching(/^[a-z ]{0,12}$/), fc.stringMatching(/^[a-z ]{0,12}$/), (pieces, a, b) => {
        fc.pre(a !== b);
        for (const { apply, patterns } of all) {
          if (![a, b].some((text) => patterns.some((pattern) => text.search(pattern) >= 0))) expect([apply(a), apply(b)]).toEqual([a, b]);
          const around = (text: string): string => `${pieces.join("")}\n~${text}~\n${pieces.join("")}`;
          expect(apply(around(a))).not.toBe(apply(around(b)));
        }
      }),
    );
  });

  it("each say their name and why", () => {
    expect(all.every(({ name, reason, patterns }) => name !== "" && reason !== "" && patterns.length > 0)).toBe(true);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it.each([
    ["Today's date is 2026-11-26.", "Today's date is <day>."],
    ["<current_date>2026-11-26</current_date>", "<current_date><day></current_date>"],
    ["Today is Thursday, November 26, 2026", "Today is <day>"],
    ["The update of 2026-11-26", "The update of 2026-11-26"],
    ["Due 2026-11-26", "Due 2026-11-26"],
    ["Recent commits:\n0123abc Add\n4567def Mend", "Recent commits:\n<commit> Add\n<commit> Mend"],
    ["checkout 0123abc now", "checkout 0123abc now"],
  ])("make of %j %j", (text, expected) => {
    expect(clientNormalizers.reduce((rest, one) => one.apply(rest), text)).toBe(expected);
  });
});
