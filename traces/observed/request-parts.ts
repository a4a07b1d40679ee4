import { callsIn, textOf, type Message } from "../../harness/contract/messages.ts";
import { isObject, type Json, type JsonObject } from "../../harness/json.ts";
import { clientNormalizers, equalBy, resultNormalizers, type Normalizer } from "../replay/tools/normalizers.ts";
import type { RebuiltRequest } from "../read/rebuild-requests.ts";

/** A request as two runs are compared by it. */
interface ComparedRequest {
  readonly request: RebuiltRequest;
  /** Its `wire`, `path`, `stream` and `fields`, as in `observed` of `model.request`. */
  readonly observed: JsonObject;
  /** What it calls its model. */
  readonly model: string;
}

/** A part that a person would look at by itself. */
export interface RequestPart {
  /** By which it is found in another request. */
  readonly key: string;
  readonly name: string;
  /** Parts of a lower one come first. */
  readonly rank: number;
  readonly value: Json;
  /** It is what a tool printed. */
  readonly isResult: boolean;
}

/** A normalizer that was needed. */
export interface Levelled {
  readonly name: string;
  readonly reason: string;
  /** Different texts of requests that it levelled: one that is sent again and again counts once. */
  times: number;
  /** The first pair of what it replaced. */
  readonly example: { readonly recorded: string; readonly now: string };
}

const orderOfResults = {
  name: "order of results",
  reason: "calls of one reply that run side by side end in any order",
} as const;

/** The parts of a request. What each client moves at each turn (marks of a cache, thinking that is sent back) is in none. */
export function partsOf({ request, observed, model }: ComparedRequest): RequestPart[] {
  const { params, system, tools, messages } = request;
  const fields = isObject(observed["fields"]) ? observed["fields"] : {};
  const part = (rank: number, key: string, value: Json, o: { readonly name?: string; readonly isResult?: boolean } = {}): RequestPart => ({
    key,
    name: o.name ?? key,
    rank,
    value,
    isResult: o.isResult === true,
  });
  return [
    part(0, "path", observed["path"] ?? null),
    part(0, "stream", observed["stream"] ?? null),
    part(0, "model", model),
    part(1, "parameters", sorted(params)),
    ...Object.entries(fields).map(([key, value]) => part(2, `field ${key}`, sorted(value))),
    ...system.map(({ text }, i) => part(3, `system text ${i + 1}`, text)),
    part(
      4,
      "list of tools",
      tools.map(({ name }) => name),
    ),
    ...tools.map((tool) => part(5, `tool ${tool.name}`, tool as unknown as Json)), // plain JSON by its type
    ...messages.map((message, i) =>
      part(6 + i, `message ${i + 1}`, saidIn(message), {
        name: `message ${i + 1} (${whoSays(message)})`,
        isResult: message.role === "tool",
      }),
    ),
  ];
}

/** The first part, in the order in which a reader would look, that is not the same by `same`. */
export function firstDifference(
  recorded: readonly RequestPart[],
  now: readonly RequestPart[],
  same: (recorded: RequestPart, now: RequestPart) => boolean,
): { readonly name: string; readonly recorded: RequestPart | undefined; readonly now: RequestPart | undefined } | undefined {
  const others = new Map(now.map((part) => [part.key, part]));
  const known = new Set(recorded.map(({ key }) => key));
  const changed = recorded.find((part) => {
    const other = others.get(part.key);
    return !other || !same(part, other);
  });
  const added = now.find(({ key }) => !known.has(key));
  const first = changed && added && added.rank < changed.rank ? added : (changed ?? added);
  return first && { name: first.name, recorded: first === added ? undefined : first, now: others.get(first.key) };
}

const whoSays = (message: Message): string =>
  message.role === "tool" ? `a result${message.name === "" ? "" : ` of ${message.name}`}` : message.role;

/** Of an assistant's message its text and calls: what else a client sends back of a reply is not recorded. */
const saidIn = (message: Message): Json =>
  message.role === "assistant"
    ? ({ text: textOf(message.content), calls: callsIn(message) } as unknown as Json) // plain JSON by its type
    : (message as unknown as Json); // as above

/** Results that follow one reply, in the order of its calls. */
export function inOrderOfCalls(messages: readonly Message[]): readonly Message[] {
  let ids: readonly string[] = [];
  let moved = false;
  const ordered: Message[] = [];
  for (let at = 0; at < messages.length;) {
    const message = messages[at];
    if (!message) break;
    if (message.role !== "tool") {
      if (message.role === "assistant") ids = callsIn(message).map(({ id }) => id);
      ordered.push(message);
      at++;
      continue;
    }
    const end = messages.findIndex(({ role }, i) => i > at && role !== "tool");
    const results = messages.slice(at, end < 0 ? undefined : end);
    const place = (one: Message): number => (one.role === "tool" ? ids.indexOf(one.callId) : -1);
    const right = results.toSorted((a, b) => place(a) - place(b));
    moved ||= right.some((one, i) => one !== results[i]);
    ordered.push(...right);
    at += results.length;
  }
  return moved ? ordered : messages;
}

/** Folders of a sandbox by what takes their place in a comparison. */
export type SandboxPlaces = Readonly<Record<"<workdir>" | "<home>", string>>;

/** Compares parts and keeps account of what it took to level them. */
export function createLeveller(places: { readonly recorded: SandboxPlaces; readonly now: SandboxPlaces }) {
  const needed = new Map<string, Levelled>();
  const seen = new Set<string>();
  const moved = (["<home>", "<workdir>"] as const).filter((name) => places.recorded[name] !== places.now[name]);
  const [own, others] = moved.length === 0 ? [] : [sandboxPaths(places.recorded, moved), sandboxPaths(places.now, moved)];
  const levelled = new Map<string, string>();

  const listFor = (isResult: boolean): readonly Normalizer[] => [...clientNormalizers, ...(isResult ? resultNormalizers : [])];
  const lists = { result: listFor(true), text: listFor(false) };
  const level = (text: string, isResult: boolean, paths: Normalizer | undefined): string => {
    const key = `${isResult ? "r" : "t"}${paths === own ? "a" : "b"}${text}`;
    const known = levelled.get(key);
    if (known !== undefined) return known;
    const list = isResult ? lists.result : lists.text;
    const made = list.reduce((rest, one) => one.apply(rest), paths ? paths.apply(text) : text);
    levelled.set(key, made);
    return made;
  };
  const deep = (value: Json, change: (text: string) => string): Json => {
    if (typeof value === "string") return change(value);
    if (Array.isArray(value)) return value.map((each) => deep(each, change));
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, deep(each, change)])) : value;
  };

  const note = (name: string, reason: string, recorded: string, now: string): void => {
    const known = needed.get(name);
    if (known) known.times++;
    else needed.set(name, { name, reason, times: 1, example: { recorded: short(recorded), now: short(now) } });
  };
  const explain = (a: Json, b: Json, isResult: boolean): void => {
    if (typeof a === "string" && typeof b === "string") {
      if (a === b || seen.has(`${a}\0${b}`)) return;
      seen.add(`${a}\0${b}`);
      let [left, right] = [a, b];
      if (own && others) {
        [left, right] = [own.apply(a), others.apply(b)];
        const isPath = left !== a || right !== b;
        if (isPath) note(own.name, own.reason, places.recorded["<workdir>"], places.now["<workdir>"]);
      }
      const list = isResult ? lists.result : lists.text;
      const by = equalBy(left, right, list) ?? [];
      for (const one of list) {
        if (by.includes(one.name)) {
          const [was, is] = [left, right].map((text) => one.patterns.flatMap((pattern) => text.match(pattern) ?? []));
          const first = was?.findIndex((each, i) => each !== is?.[i]) ?? -1;
          note(one.name, one.reason, was?.[first] ?? "", is?.[first] ?? "");
          [left, right] = [one.apply(left), one.apply(right)];
        }
      }
    } else if (Array.isArray(a) && Array.isArray(b)) a.forEach((each, i) => explain(each, b[i] ?? null, isResult));
    else if (isObject(a) && isObject(b)) for (const key of Object.keys(a)) explain(a[key] ?? null, b[key] ?? null, isResult);
  };

  return {
    recorded: ({ value, isResult }: RequestPart): Json => deep(value, (text) => level(text, isResult, own)),
    now: ({ value, isResult }: RequestPart): Json => deep(value, (text) => level(text, isResult, others)),
    /** Two requests were taken for equal: which normalizers that took. */
    count(recorded: readonly RequestPart[], now: readonly RequestPart[]): void {
      const byKey = new Map(now.map((part) => [part.key, part]));
      for (const { key, value, isResult } of recorded) explain(value, byKey.get(key)?.value ?? null, isResult);
    },
    countOrder: (recorded: string, now: string): void => note(orderOfResults.name, orderOfResults.reason, recorded, now),
    needed: (): readonly Levelled[] => [...needed.values()],
  };
}

/** Also as clients make one word of a path. */
const sandboxPaths = (of: SandboxPlaces, names: readonly (keyof SandboxPlaces)[]): Normalizer => {
  const patterns = names.map((name) => {
    const path = of[name];
    const words = path.split("/").length > 2 ? [path, path.replaceAll(/[^A-Za-z0-9]/g, "-")] : [path];
    return [new RegExp(`(?<![\\w.-])(?:${words.map(escaped).join("|")})(?![\\w])`, "g"), name] as const;
  });
  return {
    name: "sandbox paths",
    reason: "the sandbox is in another folder",
    patterns: patterns.map(([pattern]) => pattern),
    apply: (text) => patterns.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text),
  };
};
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

/** Keys in one order: of what a client sets, its order is drawn too. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
