/** What was seen, as half a sentence that fits into each of the messages. */
export const identical = (times: number): string => `this call was made ${times} times with the same answer and no edit in between`;
export const failing = (times: number): string => `this call failed ${times} times in a row and nothing was changed in between`;
export const cycle = (length: number, rounds: number): string =>
  `the same ${length} calls were made ${rounds} times in the same order with the same answers`;

export const warning = (found: string): string =>
  `You are repeating yourself: ${found}. Making it again will tell you nothing new. Use what you know, or try something else.`;

export const refused = (found: string): string =>
  `Not executed: ${found}. Do something different: change a file, ask for something else, or say what blocks you.`;

export const sameError = (times: number): string =>
  `The same error has now come up ${times} times, so the last attempt did not touch its cause. Read the message word by word and check your assumption before the next attempt.`;

/** A nudge, not a stop. */
export const nudge = (path: string, edits: number): string =>
  `${path} has been edited ${edits} times since a check last passed. If that is progress, go on. If not, read the task and the file again before the next edit.`;

export const pivot = (path: string, edits: number): string =>
  `${path} has been edited ${edits} times and no check has passed. Small changes are not getting there: stop editing it, name the assumption that may be wrong, test it, and then take another approach.`;
