/** What a simulated model says when it goes wrong. */

export const intention = "That is a good start. Next I will do the rest of the work.";
export const retrying = (count: number): string =>
  count === 0 ? "I run the project's own checks first." : "That did not work. I try it once more.";
export const gaveUpRetrying = "I cannot get past this error, so I leave it here.";
export const redrafting = (count: number): string => (count === 0 ? "I write down a draft first." : "Not quite. I rewrite the draft.");
export const gaveUpDrafting = "The draft does not come together, so I leave it here.";
export const reachingForTool = "There is a tool for this.";
export const gaveUpWithoutTool = "frobtool is not here, so this cannot be done on this machine.";
export const claimWritten = (files: readonly string[]): string => `I have written ${files.join(" and ")} as asked.`;
export const tidying = "I take the draft away and go on.";
export const nothingToCall = "There is nothing that I can call.";

/** A call as small models write it into their text. */
export const printedCall = (say: string | undefined, name: string, args: unknown): string =>
  `${say ?? "I do this:"}\n\`\`\`json\n${JSON.stringify({ name, arguments: args }, null, 2)}\n\`\`\``;
/** With the text protocol a fenced block would be a call, so the slip is to leave the fence out. */
export const unfencedCommand = (say: string | undefined, command: string): string => `${say ?? "I do this:"} ${command}`;

/** What fails, whatever the task: nothing of this name is in any task. */
export const failingCommand = "sh ./scripts/run-every-check.sh";
export const missingToolCommand = "frobtool --check .";
export const draftFile = ".draft-of-mine.md";
export const draftCommand = (count: number): string => `printf 'draft %s\\n' ${count + 1} > ${draftFile}`;
export const tidyCommand = `rm -f ${draftFile}`;
