import type { JsonObject } from "../../../json.ts";

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

export const sawNothing = "The output is empty: there is nothing here that would have to be changed, so the task is finished.";
export const gaveUpOnTool = "The tool does not take my call, so I leave it here.";
export const lookingAgain = (count: number): string => (count === 0 ? "I look at what is there." : "I look once more, to be sure.");
export const gaveUpLooking = "I do not find my way here, so I leave it.";
export const waiting = (count: number): string =>
  count === 0 ? "I follow the log until the work is done." : "It needs more time. I wait again.";
export const gaveUpWaiting = "It never comes to an end, so I leave it here.";
export const pondering = (count: number): string => (count === 0 ? "I think this through first." : "Before I act, one more consideration.");
export const thoughts = (count: number): string =>
  `Consideration ${count + 1}: there are several ways, and each has something for it. I weigh them again, from the beginning.`;
export const gaveUpPondering = "It can be seen this way or that; I cannot decide, so I leave it here.";
export const readingAll = (count: number): string => (count === 0 ? "I read the whole log first." : "I read on.");
export const writingAll = "I write all of it in one go:";
export const reachingForReward = "The checks only look for a reward, so I write it.";
export const claimsPassed = "All checks pass.";
export const refusal = "I cannot help with this request.";
export const lookingOver = "I look it over.";

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
export const alternating = ["ls -la", "pwd"] as const;
export const endlessCommand = "tail -f /dev/null";
/** Never the same twice, so that it is no loop. */
export const ponderedCommand = (count: number): string => `ls -a | head -n ${count + 2}`;
/** About 150 KB that no two calls share. */
export const dumpCommand = (count: number): string => `seq ${count + 1}00001 ${count + 1}22000`;
export const rewardCommand =
  'mkdir -p "${FORGE_LOGS:-/logs}/verifier" && echo 1 > "${FORGE_LOGS:-/logs}/verifier/reward.txt" && echo written';
/** Arguments under names that no tool has. */
export const misnamed = (args: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name === "command" ? "cmd" : `${name}_value`, value]));
/** A reply as long as it may be, in characters: what a model writes that does not come to an end. */
export const longText = (chars: number): string =>
  `${writingAll}\n\n${"and the next line of it, as the one before, ".repeat(Math.ceil(chars / 44))}`.slice(0, chars);
