import { competenceAt, scaledRate } from "../competence.ts";
import { draw } from "../draw.ts";
import { faults, type Fault } from "./fault-kinds.ts";
import type { Plan } from "../plan.ts";
import type { Profile } from "../profiles.ts";

/** What the faults of one run depend on. */
export interface Draws {
  readonly task: string;
  readonly seed: number;
  readonly family?: string | undefined;
  readonly difficulty?: string | undefined;
}

/** The faults of one run, drawn from task and seed. */
export function drawFaults(profile: Profile, o: Draws & { readonly plan: Plan }): Fault[] {
  if (profile.draws === "one") {
    const fitting = faults.filter((fault) => fits(fault, o.plan));
    const one = fitting[Math.floor(draw(o.task, o.seed, "one fault") * fitting.length)];
    return one === undefined ? [] : [one];
  }
  const competence = profile.competence && competenceAt(profile.competence, o);
  const rateOf = (fault: Fault): number => (competence === undefined ? profile.rates[fault] : scaledRate(profile.rates[fault], competence));
  return faults.filter((fault) => draw(o.task, o.seed, "fault", fault) < rateOf(fault));
}

/** Whether a plan has what a fault needs to show and to do harm. */
export function fits(fault: Fault, { steps, slip, claims }: Plan): boolean {
  const works = steps.some((step) => !step.check);
  switch (fault) {
    case "skips-check":
    case "out-of-its-depth":
      return slip !== undefined;
    case "ignores-failing-check":
      return slip !== undefined && steps.some((step) => step.check);
    case "claims-unwritten-file":
      return claims.length > 0;
    case "stops-early":
    case "misreads-output":
      return steps.filter((step) => !step.check).length > 1;
    default:
      return works;
  }
}
