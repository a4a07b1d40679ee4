import { urlCredentials } from "./url-credentials.ts";

/** Takes the place of each character of a secret. It is in no pattern and counts as part of a word, so a second pass finds nothing new. */
const mask = "\u2588";
const shortestSecret = 8;

/** What a text was taken for when it was taken out. */
export type SecretKind =
  | "known value"
  | "OpenAI, Anthropic or OpenRouter key"
  | "GitHub token"
  | "GitLab token"
  | "npm token"
  | "AWS key"
  | "Google key"
  | "Slack token"
  | "Stripe key"
  | "Hugging Face token"
  | "Groq or xAI key"
  | "PyPI token"
  | "SendGrid key"
  | "Twilio key"
  | "Telegram bot token"
  | "JSON Web Token"
  | "authorization header"
  | "private key"
  | "password in a connection string"
  | "credential in a URL";

/**
 * Secrets by their shape. Every pattern starts only where the character before it could not be part of the same word, which keeps the search
 * linear. The letter of an escape sequence is none: in text that is JSON, a line break before a key is written `\\n`.
 */
const patterns: readonly (readonly [SecretKind, RegExp])[] = [
  ["OpenAI, Anthropic or OpenRouter key", /(?<!(?<!\\(?=[nrt]))[\w█-])sk-[A-Za-z0-9_-]{16,}/g], // sk-…, sk-ant-…, sk-or-…
  ["GitHub token", /(?<!(?<!\\(?=[nrt]))[\w█])(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g],
  ["GitLab token", /(?<!(?<!\\(?=[nrt]))[\w█])glpat-[A-Za-z0-9_-]{16,}/g],
  ["npm token", /(?<!(?<!\\(?=[nrt]))[\w█])npm_[A-Za-z0-9]{30,}/g],
  ["AWS key", /(?<!(?<!\\(?=[nrt]))[\w█])(?:AKIA|ASIA)[A-Z0-9]{16}/g],
  ["AWS key", /(?<=(?<!(?<!\\(?=[nrt]))[\w█])aws_secret_access_key["']?\s{0,4}[:=]\s{0,4}["']?)[A-Za-z0-9/+=]{40}/gi],
  ["Google key", /(?<!(?<!\\(?=[nrt]))[\w█-])AIza[A-Za-z0-9_-]{30,}/g],
  ["Slack token", /(?<!(?<!\\(?=[nrt]))[\w█-])xox[abeprs]-[A-Za-z0-9-]{10,}/g],
  ["Stripe key", /(?<!(?<!\\(?=[nrt]))[\w█])(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/g],
  ["Hugging Face token", /(?<!(?<!\\(?=[nrt]))[\w█])hf_[A-Za-z0-9]{30,}/g],
  ["Groq or xAI key", /(?<!(?<!\\(?=[nrt]))[\w█-])(?:gsk_|xai-)[A-Za-z0-9]{32,}/g],
  ["PyPI token", /(?<!(?<!\\(?=[nrt]))[\w█-])pypi-AgE[A-Za-z0-9_-]{40,}/g], // AgE…: the beginning of every macaroon of pypi.org and test.pypi.org
  ["SendGrid key", /(?<!(?<!\\(?=[nrt]))[\w█])SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}(?![\w█-])/g],
  ["Twilio key", /(?<!(?<!\\(?=[nrt]))[\w█])(?:SK|AC)[0-9a-f]{32}(?![\w█])/g],
  // 12345678:AA…, in an address behind `bot`
  ["Telegram bot token", /(?:(?<=(?<![\w█])bot)|(?<!(?<!\\(?=[nrt]))[\w█]))\d{8,10}:A[A-Za-z0-9_-]{34}(?![\w█-])/g],
  ["JSON Web Token", /(?<!(?<!\\(?=[nrt]))[\w█-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g],
  // Server=…;Password=…: behind another part of such a string only, or ordinary code would be blackened
  ["password in a connection string", /(?<=;\s{0,2}(?:password|pwd|accountkey|sharedaccesskey)=)[^\s;"'`<>()█]{6,200}(?=[;"'`\s]|$)/gi],
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
 * offsets hold. Idempotent; linear in the length of the text. `onFound` hears of each that is taken out.
 */
export function createRedactor(o: {
  secrets: readonly string[];
  shapes?: boolean;
  urls?: boolean;
  onFound?: (kind: SecretKind) => void;
}): (text: string) => string {
  const secrets = [...new Set(o.secrets)].filter((secret) => secret.length >= shortestSecret && !secret.includes(mask));
  const inUrls = (o.urls ?? true) ? inUrl : (): Range[] => [];
  const ofShape = (o.shapes ?? true) ? shapesAndKeys : (): Range[] => [];
  const once = (text: string): string =>
    blacken(text, [...secrets.flatMap((secret) => occurrences(text, secret)), ...ofShape(text), ...inUrls(text)], o.onFound);
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

const inUrl = (text: string): Range[] => urlCredentials(text).map((range) => ({ ...range, kind: "credential in a URL" as const }));

interface Range {
  readonly kind: SecretKind;
  readonly from: number;
  readonly to: number;
}

/** All of them, overlapping ones too: masking one must not leave a readable rest of another. */
function occurrences(text: string, secret: string): Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1))
    found.push({ kind: "known value", from: at, to: at + secret.length });
  return found;
}

function shapes(text: string): Range[] {
  return [...patterns, ["authorization header", bearer] as const].flatMap(([kind, pattern]) =>
    Array.from(text.matchAll(pattern), (match) => ({ kind, from: match.index, to: match.index + match[0].length })),
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
    found.push({ kind: "private key", from: body, to });
  }
  return found;
}

function blacken(text: string, ranges: Range[], onFound: ((kind: SecretKind) => void) | undefined): string {
  if (ranges.length === 0) return text;
  ranges.sort((a, b) => a.from - b.from);
  let out = "";
  let at = 0;
  for (const { kind, from, to } of ranges) {
    if (to <= at) continue;
    const start = Math.max(from, at);
    const secret = text.slice(start, to);
    if (onFound && /[^█\s]/.test(secret)) onFound(kind); // one that is masked already is found again in the body of a private key
    out += text.slice(at, start) + secret.replace(/[^\r\n]/g, mask);
    at = to;
  }
  return out + text.slice(at);
}
