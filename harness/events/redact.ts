import { urlCredentials } from "./url-credentials.ts";

/** Takes the place of each character of a secret. It is in no pattern and counts as part of a word, so a second pass finds nothing new. */
const mask = "\u2588";
const shortestSecret = 8;

/**
 * Secrets by their shape. Every pattern starts only where the character before it could not be part of the same word, which keeps the search
 * linear.
 */
const patterns: readonly RegExp[] = [
  /(?<![\w-█])sk-[A-Za-z0-9_-]{16,}/g, // OpenAI, Anthropic (sk-ant-…), OpenRouter (sk-or-…)
  /(?<![\w█])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
  /(?<![\w█])glpat-[A-Za-z0-9_-]{16,}/g,
  /(?<![\w█])npm_[A-Za-z0-9]{30,}/g,
  /(?<![\w█])(?:AKIA|ASIA)[A-Z0-9]{16}/g,
  /(?<![\w-█])AIza[A-Za-z0-9_-]{30,}/g,
  /(?<![\w-█])xox[abeprs]-[A-Za-z0-9-]{10,}/g,
  /(?<![\w-█])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g, // JSON Web Token
];
/** The header's name and scheme stay; the credential goes. */
const bearer = /(?<=(?<![\w█])authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token)\s{1,4})[A-Za-z0-9._~+/=-]{8,}/gi;
const keyBegin = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyBody = /[A-Za-z0-9+/=\s\\:,█-]*/y;
const longestKey = 32_768;

/**
 * Makes the function that takes secrets out of a text: the exact values given (8 UTF-16 units or longer; shorter ones would blacken ordinary
 * text), what looks like a key of a known kind, and the password in a URL (`shapes: false` and `urls: false` leave those two alone: a trial's task may be
 * about one). Each unit is replaced by one `█`, newlines inside a private key stay, so lengths and
 * offsets hold. Idempotent; linear in the length of the text.
 */
export function createRedactor(o: { secrets: readonly string[]; shapes?: boolean; urls?: boolean }): (text: string) => string {
  const secrets = [...new Set(o.secrets)].filter((secret) => secret.length >= shortestSecret && !secret.includes(mask));
  const inUrls = (o.urls ?? true) ? urlCredentials : (): Range[] => [];
  const ofShape = (o.shapes ?? true) ? shapesAndKeys : (): Range[] => [];
  const once = (text: string): string =>
    blacken(text, [...secrets.flatMap((secret) => occurrences(text, secret)), ...ofShape(text), ...inUrls(text)]);
  return (text) => {
    let before = text;
    let after = once(before);
    // What one pass blackens can lengthen an unended private key in the next, never more than a few times.
    while (after !== before) [before, after] = [after, once(after)];
    return after;
  };
}

/** What of a text looks like a secret by its shape, each as it stands there. */
export function lookingLikeSecrets(text: string): string[] {
  return shapesAndKeys(text).map(({ from, to }) => text.slice(from, to).trim());
}

const shapesAndKeys = (text: string): Range[] => [...shapes(text), ...privateKeys(text)];

interface Range {
  readonly from: number;
  readonly to: number;
}

/** All of them, overlapping ones too: masking one must not leave a readable rest of another. */
function occurrences(text: string, secret: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) found.push({ from: at, to: at + secret.length });
  return found;
}

function shapes(text: string): Range[] {
  return [...patterns, bearer].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), (match) => ({ from: match.index, to: match.index + match[0].length })),
  );
}

/** The body between the markers; where the end is missing or too far off to belong to it, whatever follows that can be part of a key. */
function privateKeys(text: string): Range[] {
  const found: Range[] = [];
  let end = 0;
  for (const begin of text.matchAll(keyBegin)) {
    const body = begin.index + begin[0].length;
    if (body < (found.at(-1)?.to ?? 0)) continue;
    if (end !== -1 && end < body) end = text.indexOf("-----END", body);
    keyBody.lastIndex = body;
    const to = end !== -1 && end - body <= longestKey ? end : body + (keyBody.exec(text)?.[0].length ?? 0);
    found.push({ from: body, to });
  }
  return found;
}

function blacken(text: string, ranges: Range[]): string {
  if (ranges.length === 0) return text;
  ranges.sort((a, b) => a.from - b.from);
  let out = "";
  let at = 0;
  for (const { from, to } of ranges) {
    if (to <= at) continue;
    const start = Math.max(from, at);
    out += text.slice(at, start) + text.slice(start, to).replace(/[^\r\n]/g, mask);
    at = to;
  }
  return out + text.slice(at);
}
