import { isObject, type Json, type JsonObject } from "../json.ts";

/** What is read of one reply at most, over every wire and in every protocol. A model within its senses comes near none of them. */
export const replyCaps = {
  /** Levels of a call's arguments; the outermost object is the first. */
  depth: 100,
  /** Keys and items of a call's arguments, all levels together. */
  keys: 10_000,
  /** Bytes of a call's arguments as JSON. */
  argumentBytes: 1024 ** 2,
  /** Calls; what comes behind them is answered with one error. */
  calls: 200,
  /** Characters of everything that a reply says, thinks and calls with. */
  replyChars: 8 * 1024 ** 2,
  /** Characters that are kept of each text of a reply that was longer. */
  keptChars: 32_000,
  /** Bytes of one response as they come over the wire: framing and escapes take several times the text. */
  wireBytes: 128 * 1024 ** 2,
  /** Bytes of one line of an event stream, which an SDK looks through again with each piece that arrives. */
  lineBytes: 4 * 1024 ** 2,
} as const;

/** How a reply that went on past `replyChars` is recorded and reported to the model. */
export const cutAtReplyCap = "8 MB";

/** The arguments of a call, or why they are not read: a clause that goes on from "the arguments of bash". */
export type ReadArguments = { readonly args: JsonObject } | { readonly why: string; readonly kind: "syntax" | "shape" | "cap" };

/** Reads arguments that came as JSON text, or as a value that was parsed with what was around it. Nothing is thrown, however they nest. */
export function readArguments(given: Json): ReadArguments {
  if (typeof given !== "string") return judged(given);
  const bytes = Buffer.byteLength(given);
  if (bytes > replyCaps.argumentBytes) return tooMuch(`are ${bytes} bytes long, and at most ${replyCaps.argumentBytes} are read`);
  try {
    return judged(JSON.parse(given) as Json); // what JSON.parse gives is Json
  } catch (error) {
    return { kind: "syntax", why: error instanceof Error ? error.message : String(error) };
  }
}

function judged(value: Json): ReadArguments {
  if (!isObject(value)) return { kind: "shape", why: "must be a JSON object" };
  const why = beyondCaps(value);
  return why === undefined ? { args: value } : tooMuch(why);
}

const tooMuch = (why: string): ReadArguments => ({ kind: "cap", why });

/** Why a parsed value is not read, as a clause; undefined for one within the caps. Its own stack is a list, so that no depth ends it. */
export function beyondCaps(value: Json): string | undefined {
  let keys = 0;
  let chars = 0;
  const waiting: (readonly [item: Json, depth: number])[] = [[value, 1]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [item, depth] = next;
    if (typeof item === "string") chars += item.length;
    // JSON can spell a number that no double holds, and a trace could not repeat it
    if (typeof item === "number" && !Number.isFinite(item)) return "hold a number that is out of range";
    if (typeof item !== "object" || item === null) continue;
    if (depth > replyCaps.depth) return `nest more than ${replyCaps.depth} levels deep, and no more are read`;
    for (const [key, member] of Object.entries(item)) {
      keys++;
      chars += key.length;
      waiting.push([member, depth + 1]);
      if (keys > replyCaps.keys) return `hold more than ${replyCaps.keys} keys and items, and no more are read`;
    }
    if (chars > replyCaps.argumentBytes) return `are longer than ${replyCaps.argumentBytes} bytes, and no more are read`;
  }
  return undefined;
}

/** Collects the texts of one reply as they come, and says when it has said enough. What is no text counts as none. */
export interface ReplyBudget {
  /** The text, or nothing where the reply is full or it is no text at all. */
  take(piece: unknown): string;
  /** The reply has more than is read: the stream can be left. */
  readonly full: boolean;
  fill(): void;
}

export function replyBudget(): ReplyBudget {
  let left: number = replyCaps.replyChars;
  return {
    take(piece) {
      if (typeof piece !== "string" || left < 0) return "";
      left -= piece.length;
      return left < 0 ? "" : piece;
    },
    get full() {
      return left < 0;
    },
    fill: () => void (left = -1),
  };
}

/** USD as a server counts them: what is no number, or less than nothing, is not counted. */
export function amount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** Tokens as a server counts them, likewise, and whole. */
export function tokens(value: unknown): number | undefined {
  const counted = amount(value);
  return counted === undefined ? undefined : Math.round(counted);
}
