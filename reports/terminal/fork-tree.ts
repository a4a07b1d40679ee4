import type { ForkNode } from "../../traces/store/fork-tree.ts";
import { plural } from "../text/format.ts";
import { oneLine } from "../../harness/text/printable.ts";
import { hanging } from "../text/wrapped.ts";
import { folderText, resultText } from "./run-list.ts";

/** Runs with what went on from them drawn below, each with the turn at which it left. */
export function describeForks(roots: readonly ForkNode[], cwd: string): string {
  return roots.flatMap((root) => [hanging(`${label(root, cwd)}${leftFrom(root)}`), ...below(root, "", cwd)]).join("\n");
}

/** Of a root that went on from a run which is not among those that are shown. */
function leftFrom({ run: { parent } }: ForkNode): string {
  return parent ? ` · fork at turn ${parent.step} of ${oneLine(parent.run)}, which is not among these runs` : "";
}

function below({ forks }: ForkNode, indent: string, cwd: string): string[] {
  return forks.flatMap((fork, i) => {
    const last = i === forks.length - 1;
    const line = `${indent}${last ? "└─" : "├─"} at turn ${fork.run.parent?.step ?? 0}: ${label(fork, cwd)}`;
    return [line, ...below(fork, `${indent}${last ? "   " : "│  "}`, cwd)];
  });
}

function label({ run }: ForkNode, cwd: string): string {
  const facts = [oneLine(run.configuration), oneLine(run.model), resultText(run), run.spent ? plural(run.spent.turns, "turn") : ""];
  return `${folderText(run, cwd)}  ${facts.filter((fact) => fact !== "").join(" · ")}`;
}
