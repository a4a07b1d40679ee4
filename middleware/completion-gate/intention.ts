/** True when an answer ends on what its author is about to do: "Next I will run the tests." A closing DONE does not count as its end. */
export function announcesNextStep(answer: string): boolean {
  const body = answer.replace(/```[^\n]*\n?\s*DONE\s*```\s*$|\bDONE\b[.!]?\s*$/, "").trim();
  const last = body
    .split(/\n+|(?<=[.!?])\s+/)
    .map((sentence) => sentence.replace(/^[\s*#>-]+/, "").trim())
    .findLast((sentence) => /[a-z]/i.test(sentence));
  return last !== undefined && (announcement.test(last) || askedToGoOn.test(last));
}

const step =
  "(?:run|rerun|re-run|create|write|fix|check|test|implement|add|update|edit|change|try|verify|install|start|begin|continue|proceed|make|modify|read|inspect|look|execute|open|explore|examine|find|search|build|generate|set up|move on|go ahead|correct|apply|refactor|debug|investigate|list|view|see|clean|remove|delete|now|first|next|then)";
const opening = "(?:(?:so|now|next|then|first|after that|finally|okay|ok|great|good|perfect)[,:]?\\s+)*";

/** Begins the sentence: what follows a condition ("if you want, I will …") is an offer, not a next step. */
const announcement = new RegExp(
  `^${opening}(?:(?:I(?:'|’)ll|I will|I(?:'m| am|’m) going to|I need to|I(?:'m| am|’m) about to|let me|let us|let(?:'|’)s|we(?:'|’)ll|we will|we need to)(?: also| now| next| then| first| just| quickly)*\\s+${step}\\b)`,
  "i",
);
const askedToGoOn = /^(?:next|next step|now|then)[,:]?\s+(?:I|we|let)\b[^?]*$/i;
