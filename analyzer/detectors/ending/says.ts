/** What last replies say, in the words that models use. Read from the end, where they come to their point. */
const tail = (text: string, most: number): string => text.slice(-most);

const next =
  /\b(?:next,? I(?:'ll| will| am going to)|I(?:'ll| will) (?:now|next)|now I(?:'ll| will| need to)|let me (?:now |first |start |continue |check |look |run |try |create |write |fix |update )|I(?:'m| am) going to (?:now )?(?:run|write|create|fix|check|look|edit|update))\b/i;
const over =
  /\b(?:let me know|in summary|summary|all (?:tests|checks) pass|is (?:now )?(?:done|complete|fixed|finished|ready)|have (?:been )?(?:completed|finished|implemented|fixed|written|created|added|updated)|successfully|I hope)\b/i;
/** It ends with what it is about to do. */
export function announces(text: string): string | undefined {
  const last = tail(
    text
      .trim()
      .split(/\n\s*\n/)
      .at(-1) ?? "",
    400,
  );
  const [words] = next.exec(last) ?? [];
  return words !== undefined && !over.test(last) && !/\?\s*$/.test(last) ? words : undefined;
}

const leaving =
  /\b(?:I(?:'ll| will)? (?:leave|stop|give up|have to stop)|so I (?:leave|stop|cannot)|(?:can ?not|can't|could not|couldn't) (?:be (?:done|completed|solved|finished)|complete|finish|solve|proceed|continue|get past|decide)|unable to (?:complete|finish|solve|proceed|continue)|not able to (?:complete|finish|solve)|beyond what I can|I(?:'m| am) stuck|remains? (?:unfinished|incomplete)|not (?:yet )?(?:finished|complete|done)\b)/i;
/** It says that it leaves the work undone. */
export const gaveUpWords = (text: string): string | undefined => leaving.exec(tail(text, 800))?.[0];

const trouble =
  /\b(?:fail(?:s|ed|ing|ure|ures)?|error|did(?: not|n't) pass|not pass|broken|could not|couldn't|unable|unrelated|pre-existing|timed? ?out|blocked|cannot|can't|not (?:run|available|verified))\b/i;
/** It speaks of what did not work. */
export const admits = (text: string): boolean => trouble.test(text.slice(0, 20_000));
