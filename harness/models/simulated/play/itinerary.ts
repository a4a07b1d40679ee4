import type { JsonObject } from "../../../json.ts";
import { draw } from "../draw.ts";
import { isServiceFault, type Fault, type ServiceFault } from "../faults/fault-kinds.ts";
import { lookingOver } from "./lines.ts";
import type { Plan } from "../plan.ts";

export interface PlannedCall {
  readonly tool: string;
  readonly args: JsonObject;
}
export interface Step {
  readonly say?: string | undefined;
  readonly calls: readonly PlannedCall[];
  readonly check: boolean;
}
type AtTheEnd = "skips-check" | "claims-unwritten-file" | "ignores-failing-check";
/** Faults that are an act of their own; the others lie in which steps are taken, or in the service. */
export type FaultOnTheWay = Exclude<Fault, AtTheEnd | "out-of-its-depth" | ServiceFault>;
export type Move =
  /** `fault`: taking this step is where the fault happens. */
  { readonly type: "step"; readonly step: Step; readonly fault?: Fault } | { readonly type: "fault"; readonly fault: FaultOnTheWay };

/** What one run of the model is going to do while nobody tells it otherwise. */
export interface Itinerary {
  readonly moves: readonly Move[];
  /** What it would have to do after its end to mend what it left wrong, by fault. */
  readonly hidden: readonly { readonly fault: Fault; readonly repair: readonly Step[] }[];
}

export function planItinerary(plan: Plan, drawn: readonly Fault[], o: { task: string; seed: number }): Itinerary {
  const taken = stepsTaken(plan, drawn);
  const { wrong } = taken;
  const unwritten = drawn.includes("claims-unwritten-file") ? taken.steps.findIndex((step) => mentions(step, plan.claims)) : -1;
  const steps = unwritten < 0 ? taken.steps : taken.steps.slice(0, unwritten);
  const repairs: readonly Step[] = wrong ? (plan.slip ? plan.steps : plan.steps.filter((step) => step.check)) : plan.steps.slice(unwritten);
  const repair = wrong && unwritten >= 0 ? plan.steps : repairs;
  return {
    moves: withFaults(steps, drawn, o),
    hidden: [
      ...(unwritten >= 0 ? [{ fault: "claims-unwritten-file" as const, repair }] : []),
      ...(wrong ? [{ fault: wrong, repair }] : []),
    ],
  };
}

/** The steps of the run, and the fault that makes them the wrong ones. */
function stepsTaken(plan: Plan, drawn: readonly Fault[]): { steps: readonly Step[]; wrong?: Fault } {
  const unchecked = (plan.slip ?? plan.steps).filter((step) => !step.check);
  if (drawn.includes("out-of-its-depth") && plan.slip) {
    const look: Step = { say: lookingOver, calls: [{ tool: "bash", args: { command: "ls -l" } }], check: true };
    return { steps: [...unchecked, look], wrong: "out-of-its-depth" };
  }
  if (drawn.includes("ignores-failing-check") && plan.slip)
    return { steps: [...unchecked, ...plan.steps.filter((step) => step.check)], wrong: "ignores-failing-check" };
  if (drawn.includes("skips-check")) return { steps: unchecked, wrong: "skips-check" };
  return { steps: plan.steps };
}

/** Each fault stands before a step that does work, so that ending there leaves work undone. */
function withFaults(steps: readonly Step[], drawn: readonly Fault[], o: { task: string; seed: number }): Move[] {
  const working = steps.flatMap((step, i) => (step.check ? [] : [i]));
  const places = drawn.filter(onTheWay).map((fault) => {
    const later = fault === "stops-early" || fault === "misreads-output";
    const choice = later && working.length > 1 ? working.slice(1) : working;
    const nth = fault === "misreads-output" ? 0 : Math.floor(draw(o.task, o.seed, "place", fault) * choice.length);
    return { fault, at: choice[nth] };
  });
  // A wrong approach is taken with its last working step: what comes before may well be a look.
  const astray = drawn.includes("out-of-its-depth") ? working.at(-1) : undefined;
  return steps.flatMap((step, i): Move[] => [
    ...places.filter((place) => place.at === i).map(({ fault }): Move => ({ type: "fault", fault })),
    { type: "step", step, ...(i === astray ? { fault: "out-of-its-depth" } : {}) },
  ]);
}

const elsewhere: readonly Fault[] = ["skips-check", "claims-unwritten-file", "ignores-failing-check", "out-of-its-depth"];
const onTheWay = (fault: Fault): fault is FaultOnTheWay => !elsewhere.includes(fault) && !isServiceFault(fault);

function mentions(step: Step, files: readonly string[]): boolean {
  const said = JSON.stringify(step.calls);
  return files.some((file) => said.includes(file.split("/").at(-1) ?? file));
}
