import type { MiddlewareChange } from "../../harness/config/middleware/change-middleware.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { ConfigError } from "../../harness/errors.ts";
import type { Study } from "./study.ts";

/** More arms than these are not measured in one job: Holm's adjustment leaves nothing to see. */
export const mostArms = 32;

/** An arm to be made, and the arm that it is held against; without one it is only there to be compared with. */
export interface ArmPlan {
  readonly change: MiddlewareChange;
  readonly against?: string;
}

/** The arms of a study, each once, and the comparisons they were made for. */
export interface StudyArms {
  readonly configurations: readonly ResolvedConfig[];
  readonly study: Study;
}

/**
 * Makes the arms. What comes out with the harness of an arm that is there already is that arm: it is not measured twice, and a comparison of an arm
 * with itself, or of two arms a second time, falls away.
 * @param base the configuration as it is: the first arm
 * @throws ConfigError where more arms than `mostArms` come out, or none beside the base
 */
export async function makeArms(
  kind: Study["kind"],
  base: ResolvedConfig,
  plans: readonly ArmPlan[],
  make: (change: MiddlewareChange) => Promise<ResolvedConfig>,
): Promise<StudyArms> {
  const byHash = new Map([[base.hash, base]]);
  const nameOf = new Map([[base.name, base.name]]);
  const pairs: [string, string][] = [];
  for (const { change, against } of plans) {
    const made = await make(change);
    const arm = byHash.get(made.hash) ?? made;
    byHash.set(arm.hash, arm);
    nameOf.set(change.name, arm.name);
    const baseline = against === undefined ? undefined : (nameOf.get(against) ?? against);
    const known = pairs.some((pair) => baseline !== undefined && pair.includes(baseline) && pair.includes(arm.name));
    if (baseline !== undefined && baseline !== arm.name && !known) pairs.push([baseline, arm.name]);
  }
  if (pairs.length === 0)
    throw new ConfigError(
      `${base.name}: every arm comes out as the configuration itself, so there is nothing to compare; give other values.`,
    );
  if (byHash.size > mostArms)
    throw new ConfigError(
      `${base.name}: these are ${byHash.size} arms, and one job measures ${mostArms} at most; leave values or options out, or make several jobs of them.`,
    );
  return { configurations: [...byHash.values()], study: { kind, pairs } };
}
