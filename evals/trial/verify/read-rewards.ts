import type { Evidence } from "../evidence/evidence.ts";

/** What a verifier left: rewards by name and the score they give, or one sentence that says why there is none. */
export type RewardReading =
  | {
      readonly type: "rewards";
      readonly rewards: Readonly<Record<string, number>>;
      readonly score: number;
      /** Why the score is not what the rewards say. */ readonly why?: string;
    }
  /** `fault`: someone outside ended the sandbox under the verifier. */
  | { readonly type: "unreadable"; readonly why: string; readonly fault?: Evidence };

/** A file of a verifier's: its bytes, undefined where there is none, or one clause that says why it cannot be read. */
export type VerifierFile = Uint8Array | { readonly unread: string } | undefined;

/** A reward file is a number or a few; what is larger is not one. */
export const maxRewardBytes = 64 * 1024;
const maxRewards = 256;
const number = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Reads what the verifier wrote. `reward.json`, a flat object from name to number, wins over `reward.txt`, one number. The score is the reward
 * named `reward`, else the mean of all. The content may be hostile: nothing but finite JSON numbers and truth values (1 and 0) is taken, and a broken
 * `reward.json` is not excused by a good `reward.txt`.
 */
export function readRewards(files: { readonly json: VerifierFile; readonly txt: VerifierFile }): RewardReading {
  if (files.json) return fromText(files.json, "reward.json", fromJson);
  if (files.txt) return fromText(files.txt, "reward.txt", fromNumber);
  return unreadable("the verifier wrote neither reward.json nor reward.txt");
}

function fromText(bytes: NonNullable<VerifierFile>, name: string, read: (text: string) => RewardReading): RewardReading {
  if ("unread" in bytes) return unreadable(`${name} ${bytes.unread}`);
  if (bytes.length > maxRewardBytes) return unreadable(`${name} is larger than ${maxRewardBytes} bytes`);
  try {
    return read(new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim());
  } catch {
    return unreadable(`${name} is not UTF-8 text`);
  }
}

function fromNumber(text: string): RewardReading {
  const value = number.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) return unreadable(`reward.txt is not one finite number, but ${quote(text)}`);
  return { type: "rewards", rewards: { reward: value }, score: value };
}

function fromJson(text: string): RewardReading {
  const parsed = parse(text);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    return unreadable(`reward.json is not an object from name to number, but ${quote(text)}`);
  const entries: [string, unknown][] = Object.entries(parsed);
  if (entries.length === 0 || entries.length > maxRewards)
    return unreadable(`reward.json names ${entries.length} rewards; 1 to 256 can be read`);
  const rewards: Record<string, number> = {};
  for (const [name, written] of entries) {
    const value = typeof written === "boolean" ? Number(written) : written; // as the format's own runner counts them
    if (name === "__proto__" || name.length > 200) return unreadable(`reward.json has a reward that cannot be named: ${quote(name)}`);
    if (typeof value !== "number" || !Number.isFinite(value))
      return unreadable(`reward.json: ${quote(name)} is not a finite number, but ${quote(JSON.stringify(value))}`);
    rewards[name] = value;
  }
  return { type: "rewards", rewards, score: scoreOf(rewards) };
}

/** `reward`, else the mean of all; of one reward or more. */
export const scoreOf = (rewards: Readonly<Record<string, number>>): number =>
  (Object.hasOwn(rewards, "reward") ? rewards["reward"] : undefined) ?? meanOf(Object.values(rewards));

/** Of finite numbers, and finite itself: divided before they are added only where their sum is not. */
function meanOf(values: readonly number[]): number {
  const sum = values.reduce((all, value) => all + value, 0);
  return Number.isFinite(sum) ? sum / values.length : values.reduce((all, value) => all + value / values.length, 0);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const unreadable = (why: string): RewardReading => ({ type: "unreadable", why });
const quote = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
