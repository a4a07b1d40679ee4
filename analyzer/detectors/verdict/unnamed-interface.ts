import { atCall, atEnd } from "../acts/cite.ts";
import { mainEdit } from "../acts/work.ts";
import type { Detector } from "../detector.ts";
import { reportOf, type Report } from "./report.ts";

export const unnamedInterface: Detector = {
  name: "unnamed-interface",
  kind: "test-fault",
  looksAt:
    "Reports in which a whole module of the tests of the request cannot load, or none of them is found under its name, and what worked before still passes.",
  provedWrongBy: "The task gives the names that the tests load, or the agent broke a module that they share.",
  lever: "none",
  confidence: "medium",
  detect(run) {
    const report = reportOf(run);
    if (!report || report.asked.passed > 0 || !keptPasses(report)) return [];
    const why = unknownNames(report, run.instruction);
    const edit = mainEdit(run);
    const place = edit ? atCall(edit) : atEnd(run);
    return why === undefined || !place ? [] : [{ ...place, why, mechanism: "names that the task does not give" }];
  },
};

const keptPasses = ({ kept }: Report): boolean => kept === undefined || kept.total === 0 || kept.passed >= kept.total * 0.9;

function unknownNames({ asked, text }: Report, instruction: string): string | undefined {
  const lost = [...text.matchAll(/missing from report|did not run or produced no result/g)].length;
  if (asked.total >= 3 && lost >= asked.total * 0.8)
    return `None of the ${asked.total} tests of what was asked is found under its name: they depend on names that the task does not give.`;
  const [, imported] =
    /cannot import name ['"]([\w.]+)['"]|has no attribute ['"]([\w.]+)['"]|No matching export|is not exported/.exec(text) ?? [];
  if (imported !== undefined && !instruction.includes(imported)) return `The tests load "${imported}", which the task does not name.`;
  const modules = new Set(asked.failed.map((name) => name.split("::")[0]));
  if (asked.failed.length >= 8 && asked.failed.every((name) => name.includes("::")) && modules.size <= 2)
    return `All ${asked.failed.length} tests of ${[...modules].join(" and ")} fail, as where a module of tests cannot load a name that it needs.`;
  return undefined;
}
