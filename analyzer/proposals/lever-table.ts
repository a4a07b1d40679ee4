import type { ConfigFile } from "../../harness/config/schema.ts";
import type { Kind, Lever } from "../contract.ts";

/** What the failed runs of an issue were given, as far as all of them agree. */
export interface Circumstances {
  readonly kind: Kind;
  readonly detectors: readonly string[];
  /** Of the commonest configuration among them. */
  readonly protocol: string;
  readonly tools: readonly string[];
  readonly middleware: readonly string[];
  readonly turns: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Runs of other agents, whose harness is not ours to configure. */
  readonly imported: boolean;
}

/** One row: where it applies, what it changes, and why that may help. */
interface Row {
  readonly kinds: readonly Kind[];
  readonly lever: Lever;
  /** In a title: "offer bash alone". */
  readonly title: string;
  /** The changed keys; undefined: the row does not apply to these circumstances. */
  readonly change: (o: Circumstances) => ConfigFile | undefined;
  /** Published or own. */
  readonly evidence: string;
  /** The same for an agent that Forge does not configure. */
  readonly elsewhere: string;
}

const lacks = (o: Circumstances, name: string): boolean => !o.middleware.includes(name);
const adding =
  (name: string, options: Record<string, string | number | boolean> = {}) =>
  (o: Circumstances): ConfigFile | undefined =>
    lacks(o, name) ? { middleware: [Object.keys(options).length === 0 ? name : { name, ...options }] } : undefined;

const article = 'LangChain, "Improving Deep Agents with harness engineering" (2026)';

/** From kinds of failure to the levers that this Forge has. The first row that applies is proposed; others are alternatives. */
export const leverTable: readonly Row[] = [
  {
    kinds: ["malformed-call"],
    lever: "other-tool",
    title: "offer bash alone",
    change: (o) => (o.tools.includes("bash") && o.tools.length > 1 && o.protocol !== "native" ? { tools: ["bash"] } : undefined),
    evidence: "docs/results, three configurations: with bash alone the same model never wrote such a call, and passed 92 of 96 runs.",
    elsewhere: "A setting: fewer tools, each described by one example of a call.",
  },
  {
    kinds: ["malformed-call"],
    lever: "tool-call-repair",
    title: "let it call in text instead of the provider's own format",
    change: (o) => (o.protocol === "native" ? { model: { protocol: "text" } } : undefined),
    evidence: "docs/results, calibration of generated tasks: a 1.5B model passes nothing by native calls.",
    elsewhere: "A hook that answers a call which cannot be read with how to call, and does not take it for the end.",
  },
  {
    kinds: ["repeated-call", "edit-thrash"],
    lever: "loop-detection",
    title: "notice calls and edits that go in circles",
    change: adding("loop-detection"),
    evidence: `${article}; docs/middleware/loop-detection.md.`,
    elsewhere: "A hook that refuses a call made for the third time with the same answer.",
  },
  {
    kinds: ["no-check", "weak-check", "claimed-not-done", "finished-against-failure"],
    lever: "pre-completion-checklist",
    title: "ask for a check before the end is accepted",
    change: adding("completion-gate"),
    evidence: `${article}; docs/middleware/completion-gate.md.`,
    elsewhere: "In AGENTS.md: before you finish, run the tests that are there and look at what you wrote; a stop hook can insist on it.",
  },
  {
    kinds: ["wrong-place", "missing-dependency"],
    lever: "local-context-onboarding",
    title: "show the folder and the programs at the start",
    change: adding("local-context"),
    evidence: `${article}; docs/middleware/local-context.md.`,
    elsewhere: "In AGENTS.md: the working folder, the programs that are there, and the exact names that results must have.",
  },
  {
    kinds: ["out-of-budget"],
    lever: "longer-limit",
    title: "half as many turns again",
    change: ({ turns }) => (turns === undefined ? undefined : { limits: { turns: Math.ceil(turns * 1.5) } }),
    evidence: "The runs were ended by the limit; whether more turns help is for a comparison to show.",
    elsewhere: "A setting: a higher limit of turns or time.",
  },
  {
    kinds: ["reply-cut"],
    lever: "longer-limit",
    title: "let a reply be twice as long",
    change: ({ maxOutputTokens }) => (maxOutputTokens === undefined ? undefined : { model: { maxOutputTokens: maxOutputTokens * 2 } }),
    evidence: "The replies were cut at this length; whether longer ones help is for a comparison to show.",
    elsewhere: "A setting: a higher limit of tokens for a reply.",
  },
  {
    kinds: ["waits"],
    lever: "prompt-section",
    title: "say how to start what does not end",
    change: ({ imported }) =>
      imported
        ? undefined
        : {
            prompt: { waiting: "Start what does not end by itself in the background, and give programs their input by options or files." },
          },
    evidence: "None yet; a prompt section is cheap to try.",
    elsewhere: "In AGENTS.md: start servers in the background, and never a program that asks for input.",
  },
  {
    kinds: ["gave-up"],
    lever: "prompt-section",
    title: "say that the work is not to be handed back",
    change: ({ imported }) =>
      imported
        ? undefined
        : { prompt: { persistence: "Nobody takes over from you: where one way is blocked, try another before you stop." } },
    evidence: "None yet; a prompt section is cheap to try.",
    elsewhere: "In AGENTS.md: no one takes over; try another way before stopping.",
  },
  {
    kinds: ["forbidden-edit", "reward-reach"],
    lever: "prompt-section",
    title: "say what must stay as it is",
    change: ({ imported }) =>
      imported
        ? undefined
        : { prompt: { boundaries: "Tests, and files that the task does not ask you to change, stay as they are. Solve the task itself." } },
    evidence: "None yet; a prompt section is cheap to try.",
    elsewhere: "In AGENTS.md: tests stay as they are; a hook that refuses to write them.",
  },
];

/** Words where there is no patch. */
interface Recommendation {
  readonly lever: Lever;
  readonly text: string;
  /** The same for an agent that Forge does not configure: a line for its AGENTS.md, a hook, or a setting. */
  readonly elsewhere?: string;
}

const atTheEnd = "In AGENTS.md, or asked by a stop hook:";

/** What is advised where no lever of this Forge applies: words, never a patch. */
export const recommendations: Readonly<Partial<Record<Kind, Recommendation>>> = {
  "malformed-call": { lever: "tool-call-repair", text: "Answer an unreadable call with one example of a call that can be read." },
  "repeated-call": { lever: "loop-detection", text: "loop-detection is on already and did not help; a restart may." },
  "edit-thrash": { lever: "edit-feedback", text: "Show the changed lines after each edit." },
  "misread-output": {
    lever: "output-budget",
    text: "Say above an output how long it is, and whether the command failed.",
    elsewhere: "In AGENTS.md: after each command, read its exit code and its last lines, and say what they show before the next one.",
  },
  "output-not-read-on": {
    lever: "output-budget",
    text: "Cut outputs later, or say at the cut how to read on.",
    elsewhere: "In AGENTS.md: where an output was cut, read the rest in parts before you decide; or a setting that cuts outputs later.",
  },
  "missing-dependency": {
    lever: "local-context-onboarding",
    text: "Install the program in the environment, or say at the start that it is not there.",
  },
  "wrong-place": { lever: "reminders-of-the-instruction", text: "Repeat the paths of the instruction before the end is accepted." },
  waits: { lever: "time-or-turn-budget-awareness", text: "Let a command's time-out come back as an observation." },
  "out-of-budget": { lever: "time-or-turn-budget-awareness", text: "Say how many turns are left." },
  "over-thinking": {
    lever: "more-effort",
    text: "A lower effort, or a limit of tokens for thinking.",
    elsewhere: "A setting: a lower effort, or a limit of tokens for thinking.",
  },
  "no-check": {
    lever: "run-visible-tests-before-finishing",
    text: "The checklist is on already; run the visible tests before the end is accepted.",
  },
  "weak-check": { lever: "rubric-verifier-second-look", text: "A second look at what the check left out." },
  "finished-against-failure": { lever: "run-visible-tests-before-finishing", text: "Refuse the end while the last check fails." },
  "claimed-not-done": { lever: "rubric-verifier-second-look", text: "Compare the final message with what was changed." },
  "lost-instruction": {
    lever: "reminders-of-the-instruction",
    text: "Put the instruction after each shortening of the conversation.",
    elsewhere: "A hook after each compaction that puts the task's own text back into the conversation.",
  },
  "requirement-missed": {
    lever: "pre-completion-checklist",
    text: "A checklist of the instruction's sentences before the end is accepted.",
    elsewhere: `${atTheEnd} list each thing that the task asks for, and for each the command that shows it is done.`,
  },
  "requirement-inferred": {
    lever: "rubric-verifier-second-look",
    text: "A second look at neighbouring behaviour and conventions.",
    elsewhere: `${atTheEnd} search for the callers, siblings and tests of what you changed, and give them the same behaviour in the project's own conventions.`,
  },
  "wrong-cause": {
    lever: "rubric-verifier-second-look",
    text: "A look at the cause before the first edit.",
    elsewhere: "In AGENTS.md: reproduce the failure by a command before the first edit, and run that command again after the last one.",
  },
  "partial-fix": {
    lever: "rubric-verifier-second-look",
    text: "A second look for other places of the same fault.",
    elsewhere: `${atTheEnd} search for other places with the same fault, and fix or name each.`,
  },
  "edge-case": {
    lever: "rubric-verifier-second-look",
    text: "A second look with inputs that are empty, large, repeated or malformed.",
    elsewhere: `${atTheEnd} run what you changed on inputs that are empty, large, repeated and malformed.`,
  },
  regression: {
    lever: "run-visible-tests-before-finishing",
    text: "Run the visible tests before the end is accepted.",
    elsewhere: `${atTheEnd} run the whole test file or suite of what you changed, not only your own test.`,
  },
  "gave-up": { lever: "restarts-or-best-of-n", text: "Begin again in a fresh workspace." },
  "reply-cut": { lever: "output-budget", text: "Ask for shorter replies, or allow longer ones." },
  "test-fault": { lever: "none", text: "Correct the task: no change of the harness helps." },
  infrastructure: { lever: "none", text: "Repair the machine or the environment: no change of the harness helps." },
};
