import type { JsonObject } from "../../json.ts";
import { draw } from "./draw.ts";
import { faults, type Fault, type Rates } from "./faults.ts";
import type { Plan } from "./plan.ts";

export interface PlannedCall {
  readonly tool: string;
  readonly args: JsonObject;
}
export interface Step {
  readonly say?: string | undefined;
  readonly calls: readonly PlannedCall[];
  readonly check: boolean;
}
/** Faults that happen on the way; the other two show only at the end. */
export type FaultOnTheWay = Exclude<Fault, "skips-check" | "claims-unwritten-file">;
export type Move = { readonly type: "step"; readonly step: Step } | { readonly type: "fault"; readonly fault: FaultOnTheWay };

/** What one run of the model is going to do while nobody tells it otherwise. */
export interface Itinerary {
  readonly moves: readonly Move[];
  /** What it would have to do after its end to mend what it left wrong, by fault. */
  readonly hidden: readonly { readonly fault: Fault; readonly repair: readonly Step[] }[];
}

/** The faults of one run, drawn from task and seed. */
export function drawFaults(o: { task: string; seed: number; rates: Rates }): Fault[] {
  return faults.filter((fault) => draw(o.task, o.seed, "fault", fault) < o.rates[fault]);
}

export function planItinerary(plan: Plan, drawn: readonly Fault[], o: { task: string; seed: number }): Itinerary {
  const skips = drawn.includes("skips-check");
  const taken: readonly Step[] = skips ? (plan.slip ?? plan.steps).filter((step) => !step.check) : plan.steps;
  const unwritten = drawn.includes("claims-unwritten-file") ? taken.findIndex((step) => mentions(step, plan.claims)) : -1;
  const steps = unwritten < 0 ? taken : taken.slice(0, unwritten);
  const repairs: readonly Step[] = skips ? (plan.slip ? plan.steps : plan.steps.filter((step) => step.check)) : plan.steps.slice(unwritten);
  const repair = skips && unwritten >= 0 ? plan.steps : repairs;
  return {
    moves: withFaults(steps, drawn.filter(onTheWay), o),
    hidden: [
      ...(unwritten >= 0 ? [{ fault: "claims-unwritten-file" as const, repair }] : []),
      ...(skips ? [{ fault: "skips-check" as const, repair }] : []),
    ],
  };
}

/** Each fault stands before a step that does work, so that ending there leaves work undone. */
function withFaults(steps: readonly Step[], drawn: readonly FaultOnTheWay[], o: { task: string; seed: number }): Move[] {
  const working = steps.flatMap((step, i) => (step.check ? [] : [i]));
  const places = drawn.map((fault) => {
    const choice = fault === "stops-early" && working.length > 1 ? working.slice(1) : working;
    return { fault, at: choice[Math.floor(draw(o.task, o.seed, "place", fault) * choice.length)] };
  });
  return steps.flatMap((step, i): Move[] => [
    ...places.filter((place) => place.at === i).map(({ fault }): Move => ({ type: "fault", fault })),
    { type: "step", step },
  ]);
}

const onTheWay = (fault: Fault): fault is FaultOnTheWay => fault !== "skips-check" && fault !== "claims-unwritten-file";

function mentions(step: Step, files: readonly string[]): boolean {
  const said = JSON.stringify(step.calls);
  return files.some((file) => said.includes(file.split("/").at(-1) ?? file));
}
