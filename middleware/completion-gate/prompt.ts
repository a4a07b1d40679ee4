/** The five questions of the published checklist, in our words. */
export const questions: readonly string[] = [
  "Have you read the complete specification again, and does the work meet every point of it?",
  "Have you run all tests, and do they pass?",
  "Have you tried edge cases beyond the happy path?",
  "Are files at exactly the paths that the specification names?",
  "Is the output in exactly the format that was asked for?",
];

export const checklist = (items: readonly string[]): string =>
  [
    "Before you finish, go through this list. Do what is missing; when nothing is, finish again.",
    ...items.map((item, i) => `${i + 1}. ${item}`),
  ].join("\n");

export const refusal = (findings: readonly string[]): string =>
  ["Not finished yet:", ...findings.map((finding) => `- ${finding}`), "Settle this, then finish again."].join("\n");

export const intention = "Your last message announces a next step instead of taking it.";
export const requestedMissing = (path: string): string => `The task asks for ${path}, and there is no such file.`;
export const claimedMissing = (path: string): string => `Your answer says that ${path} was written, and there is no such file.`;
export const checkFailed = (command: string): string => `The last check failed: ${short(command)}`;
export const checkUnknown = ({ command, why = "masked" }: { command: string; why?: keyof typeof hidden }): string =>
  `${hidden[why]}: ${short(command)}`;
const hidden = {
  masked:
    "The result of the last check is not known, because the exit code of its command line is another program's (a pipe, or what follows it). Run it by itself",
  chain: "The result of the last check is not known, because something else in its command line may have failed. Run it by itself",
  timeout: "The last check was ended by its time limit, so its result is not known. Run it so that it comes to its end",
  signal: "The last check was ended from outside, so its result is not known. Run it so that it comes to its end",
  contradicted: "The last check ended with code 0 and printed that it failed. Find out which holds",
} as const;
export const checkStale = (command: string): string => `Files were edited after the last passing check. Run it again: ${short(command)}`;
export const nothingRun = (paths: readonly string[]): string =>
  `Nothing was run since the last edit of ${paths.slice(0, 3).join(", ")}${paths.length > 3 ? ` and ${paths.length - 3} more` : ""}. Run it, or look at the result.`;

const short = (command: string): string => {
  const line = command.trim().split("\n")[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};
