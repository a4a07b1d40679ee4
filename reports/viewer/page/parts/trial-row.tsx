import type { ComponentChildren } from "preact";
import type { TrialLine } from "../../api.ts";
import { runAt } from "../addresses.ts";
import { Verdict } from "./frame.tsx";

/** A trial on a line. `named`: with its task and configuration, where those differ from line to line. */
export function TrialRow({
  trial,
  named,
  children,
}: {
  readonly trial: TrialLine;
  readonly named?: boolean;
  readonly children?: ComponentChildren;
}) {
  const text = named ? (
    <>
      <bdi>{trial.task}</bdi>{" "}
      <small>
        <bdi>{trial.configuration}</bdi> #{trial.repeat}
      </small>
    </>
  ) : (
    `repeat ${trial.repeat}`
  );
  return (
    <div class="trial">
      {children}
      <span class="who">{trial.place === null ? text : <a href={runAt(trial.place)}>{text}</a>}</span>
      <Verdict passed={trial.passed}>{trial.outcome}</Verdict>
      <span class="figures">
        {trial.turns} · {trial.tokens} tokens · {trial.time} · {trial.cost}
        {trial.interventions !== "0" && ` · ${trial.interventions} ${trial.interventions === "1" ? "intervention" : "interventions"}`}
      </span>
      {trial.error !== "" && <small class="why">{trial.error}</small>}
    </div>
  );
}
