import { seededRandom } from "../../harness/seeded-random.ts";

/** What a hostile or broken server may send in the place of an answer. `told`: the model's own mistake, which it has to be able to mend. `fault`: the server's, whatever it is asked. */
export const hostileKinds = {
  depth: "told",
  "object nested deep": "told",
  width: "told",
  "huge arguments": "told",
  "number out of range": "told",
  "broken JSON": "told",
  "calls to nothing": "told",
  "many calls": "told",
  "keys of prototypes": "any",
  "lone surrogates": "any",
  "ids twice or odd": "any",
  "usage out of range": "any",
  "enormous text": "any",
  "endless line": "fault",
  "text that takes long to read": "any",
  "fields missing": "any",
  "fields of other types": "any",
  "something deep anywhere": "any",
  "bytes that are not UTF-8": "any",
  "cut stream": "any",
} as const;
export type HostileKind = keyof typeof hostileKinds;
export type Wire = "openai" | "anthropic" | "text";

type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };
interface Call {
  readonly id: Value;
  readonly name: Value;
  /** JSON text, or with `whole` the text of a value that stands there itself. */
  readonly json: string;
  readonly whole?: boolean;
}

/** The body of a stream with such an answer, byte for byte; the same for the same seed. */
export function hostileReply(kind: HostileKind, wire: Wire, seed: number): Buffer {
  const random = seededRandom(seed);
  const pick = <T>(...items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const good: Call = { id: "call_1", name: "bash", json: '{"command":"ls"}' };
  const call = (part: Partial<Call>): string => eventsOf(wire, { calls: [{ ...good, ...part }] });
  const text = (said: string): string => eventsOf(wire, { text: said, calls: [] });
  const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  const levels = pick(100, 101, 2_000, 5_000, 100_000);
  switch (kind) {
    case "depth":
      return bytes(call({ json: `{"command":${deep(levels)}}` }));
    case "object nested deep":
      return bytes(call({ json: `{"command":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`, whole: wire !== "text" }));
    case "width":
      return bytes(
        call({ json: JSON.stringify(Object.fromEntries(Array.from({ length: pick(10_001, 60_000) }, (_, i) => [`k${i}`, i]))) }),
      );
    case "huge arguments":
      return bytes(call({ json: JSON.stringify({ command: "é".repeat(pick(530_000, 1_500_000)) }) }));
    case "number out of range":
      return bytes(call({ json: `{"command":"ls","timeoutMs":${pick("1e999", "-1e400")}}` }));
    case "broken JSON":
      return bytes(call({ json: pick('{"command":', '{"command":NaN}', '{"command":Infinity}', "[1,2]", '"ls"', "{'command':'ls'}") }));
    case "calls to nothing":
      return bytes(call({ name: pick("nothing", "constructor", "__proto__", "a b/c.d", "x".repeat(100_000), "\ud800", "🔥") }));
    case "many calls":
      return bytes(eventsOf(wire, { calls: Array.from({ length: pick(201, 400) }, (_, i) => ({ ...good, id: `c${i}` })) }));
    case "keys of prototypes": {
      const key = pick("__proto__", "constructor", "prototype", "toString", "hasOwnProperty");
      return bytes(call({ json: `{"command":"ls","${key}":${pick("null", "1", '{"polluted":true}', "[]")}}` }));
    }
    case "lone surrogates":
      return bytes(pick(text('said \\ud800 "quoted"'), call({ json: '{"command":"echo \\ud83d","\\udfff":1}' }), call({ id: "\udc00" })));
    case "ids twice or odd": {
      const id = (): Value => pick<Value>("same", "same", "", null, 7, "y".repeat(100_000), "call-0-1", ["a"], "a b/ü");
      return bytes(eventsOf(wire, { calls: [good, good, good].map((one) => ({ ...one, id: id() })) }));
    }
    case "usage out of range":
      return bytes(call({}).replaceAll("12345", pick("1e999", "-1", "1.5", '"12"', "null", "1e300", "[]", "{}")));
    case "enormous text":
      return bytes(eventsOf(wire, { text: "word ".repeat(20_000), calls: [], times: pick(84, 100) }));
    case "endless line":
      return bytes(text("word ".repeat(pick(900_000, 1_000_000))));
    case "text that takes long to read":
      return bytes(text(slowText(pick)));
    case "fields missing":
      return bytes(changed(call({}), random, () => undefined));
    case "fields of other types":
      return bytes(changed(call({}), random, () => pick<Value>(null, true, -1, 1.5, "", "text", [], [null], {}, { text: {} }, [[["x"]]])));
    case "something deep anywhere":
      return bytes(changed(call({}), random, () => "@deep").replaceAll('"@deep"', deep(levels)));
    case "bytes that are not UTF-8": {
      const body = bytes(text(`said ${"x".repeat(20)}`));
      const at = body.indexOf("xxxx") + Math.floor(random() * 10);
      body.set(pick([0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]), at);
      return body;
    }
    case "cut stream": {
      const body = bytes(call({}));
      return body.subarray(0, Math.floor(random() * body.length));
    }
  }
}

const bytes = (body: string): Buffer => Buffer.from(body);

/** What a backtracking expression, or one that looks at the whole rest again and again, takes for ever to read. */
function slowText(pick: <T>(...items: readonly T[]) => T): string {
  const many = 50_000;
  return pick(
    "```\nx\n```\n".repeat(many),
    "```bash\ncat <<A\n".repeat(many),
    `<|tool_call|>\`\`\`${" ".repeat(many)}x`,
    `{"name":"bash","command"${" ".repeat(many)}x`,
    `bash(${")".repeat(many)}x`,
    "<|tool_call|>{".repeat(many),
    "<output\n".repeat(many),
    "`".repeat(many),
    `{"name": "${"\\u0000".repeat(many)}`,
  );
}

/** Streams as the two APIs send them; on the wire `text` a call is written into the text, and OpenAI's wire carries it. */
function eventsOf(wire: Wire, o: { text?: string; calls: readonly Call[]; times?: number }): string {
  const times = o.times ?? 1;
  if (wire === "text") {
    const written = o.calls
      .map(({ name, json }) => `<|tool_call|>{"tool":${JSON.stringify(name)},"args":${json}}<|/tool_call|>`)
      .join("\n");
    return openAi({ content: o.text ?? written }, times);
  }
  if (wire === "openai") {
    const calls = o.calls.map(({ id, name, json, whole }, index) => ({
      index,
      id,
      function: { name, arguments: whole === true ? `@raw:${json}@` : json },
    }));
    return openAi({ ...(o.text === undefined ? {} : { content: o.text }), ...(calls.length === 0 ? {} : { tool_calls: calls }) }, times);
  }
  const { text } = o;
  const opened = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: text ?? "" } };
  const blocks: Value[] = text === undefined ? [] : [opened, ...repeated(delta, times)];
  for (const [index, { id, name, json, whole }] of o.calls.entries()) {
    const input = whole === true ? `@raw:${json}@` : {};
    blocks.push({ type: "content_block_start", index, content_block: { type: "tool_use", id, name, input } });
    if (whole !== true) blocks.push({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json: json } });
    blocks.push({ type: "content_block_stop", index });
  }
  return streamOf([
    { type: "message_start", message: { model: "m", usage: { input_tokens: 12_345, output_tokens: 1 } } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 12_345 } },
    { type: "message_stop" },
  ]);
}

const openAi = (delta: Value, times: number): string =>
  streamOf([
    ...repeated({ model: "m", choices: [{ index: 0, delta, finish_reason: null }] }, times),
    { model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { choices: [], usage: { prompt_tokens: 12_345, completion_tokens: 12_345, prompt_tokens_details: { cached_tokens: 12_345 } } },
  ]);

const repeated = (event: Value, times: number): Value[] => Array.from({ length: times }, () => event);

const streamOf = (events: readonly Value[]): string => `${events.map(eventOf).join("")}data: [DONE]\n\n`;

/** `@raw:…@` becomes the value that it holds the text of. */
function eventOf(event: Value): string {
  const json = JSON.stringify(event).replace(/"@raw:((?:[^"\\]|\\.)*)@"/g, (_, raw: string) => JSON.parse(`"${raw}"`) as string);
  const { type } = event as { type?: string };
  return `${type === undefined ? "" : `event: ${type}\n`}data: ${json}\n\n`;
}

/** The stream with one field of one event, however deep, as `change` has it; undefined takes it out. */
function changed(stream: string, random: () => number, change: () => Value | undefined): string {
  const events = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? "{}") as Record<string, Value>);
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const gather = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      places.push([value as Record<string, unknown>, key]);
      gather(item);
    }
  };
  events.forEach(gather);
  const [holder, key] = places[Math.floor(random() * places.length)] ?? [{}, ""];
  const next = change();
  if (next !== undefined) holder[key] = next;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return streamOf(events);
}
