import { actsOf } from "../acts/acts-of.ts";
import type { Act } from "../acts/act.ts";
import { atCall } from "../acts/cite.ts";
import type { Detector } from "../detector.ts";

const endless =
  /\btail\s+-[a-z]*f\b|\bsleep\s+(?:infinity|\d{3,})|\bwhile (?:true|:|\[ 1 \])|(?:^|[\n;&|]\s*)(?:vim?|nano|less|top|htop|man|ssh|telnet|ftp|mysql|psql)\b(?![^\n]*(?:<<|-c |-e ))|\b(?:npm|yarn|pnpm) (?:start|run (?:dev|start|serve|watch))\b(?![^\n]*&\s*$)|\bhttp\.server\b(?![^\n]*&)|\bflask run\b(?![^\n]*&)|--watch\b/m;

export const waits: Detector = {
  name: "waits",
  kind: "waits",
  looksAt:
    "Commands that ran into their time limit: how many, whether they cannot end by themselves, and whether work went on after the last.",
  provedWrongBy: "The command would have ended with a little more time, and what it printed was enough.",
  lever: "time-or-turn-budget-awareness",
  confidence: "low",
  detect(run) {
    const acts = actsOf(run);
    const slow = acts.filter((act) => outOfTime(act, run.imported !== undefined));
    const first = slow[0];
    const last = slow.at(-1);
    if (!first || !last) return [];
    const workAfter = acts.slice(last.index + 1).some(({ failed }) => failed === false);
    const atTheEnd = !workAfter || acts.length - last.index <= 2;
    const cannotEnd = slow.some(({ command }) => endless.test(command.slice(0, 4_000)));
    const confidence = atTheEnd && (slow.length > 1 || cannotEnd) ? "high" : slow.length > 2 && cannotEnd ? "medium" : "low";
    const why = `${slow.length === 1 ? "A command" : `${slow.length} commands`} ran into the time limit${cannotEnd ? "; it cannot end by itself" : ""}.`;
    return [{ ...atCall(first), why, mechanism: cannotEnd ? "command that never ends" : "command out of time", confidence }];
  },
};

const killed = /^.{0,300}\b(?:command|execution|process)[^\n]{0,200} timed out\b|\btimed out and has been killed/is;
/** What an output says of itself counts only where the status is not known. */
const outOfTime = ({ step, exitCode, output, role }: Act, imported: boolean): boolean =>
  role !== "look" &&
  role !== "write" &&
  (step.status === "timeout" ||
    (step.status !== "ok" && exitCode === 124) ||
    (imported && exitCode !== 0 && output.length < 1_500 && killed.test(output)));
