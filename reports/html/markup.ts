/** HTML that is safe to put into a page as it stands: made by the tag below, never from a text of others. */
export interface Markup {
  readonly html: string;
}
type Part = string | number | Markup | undefined | readonly Part[];

/** Longest text of others in one place; a name of a megabyte would be the whole page. */
const longest = 2000;

/**
 * A template whose values are shown and do nothing: texts are escaped, control and formatting characters (escape sequences, direction marks) become
 * visible; `Markup` stays, lists are joined, undefined is nothing.
 */
export const markup = (strings: TemplateStringsArray, ...values: readonly Part[]): Markup => ({
  html: strings.reduce((page, string, i) => page + shown(values[i - 1]) + string),
});

function shown(part: Part): string {
  if (part === undefined) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escaped(part);
  if ("html" in part) return part.html;
  return part.map(shown).join("");
}

/** Text of others as an HTML text or attribute, on one line. */
function escaped(text: string): string {
  const plain = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return entities(plain.replaceAll(/\s+/g, " ").replaceAll(/\p{C}/gu, visible));
}

/** Text of others for a `pre`: newlines and tabs stay, and so does all of it. */
export const block = (text: string): Markup => ({ html: entities(text.replaceAll(/[^\P{C}\n\t]/gu, visible)) });

function entities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
}

/** `␛` for the escape character, `⟨U+202E⟩` for what has no picture of its own. */
function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** A name of others: letters that run from right to left stay within it. */
export const name = (text: string): Markup => markup`<bdi>${text}</bdi>`;

/** A relative link's address: every step encoded, so that a name is never a scheme or a query. */
export const relativeAddress = (path: string): string =>
  path
    .split("/")
    .map((step) => (step === "." || step === ".." ? step : encodeStep(step)))
    .join("/");

/** Half of a pair of surrogates cannot be encoded. */
const encodeStep = (step: string): string => encodeURIComponent(step.toWellFormed());
