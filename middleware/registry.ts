import type { AnyMiddlewareDefinition } from "../harness/contract/middleware.ts";
import { completionGate, completionGate1 } from "./completion-gate.ts";
import { localContext } from "./local-context.ts";
import { loopDetection, loopDetection1 } from "./loop-detection.ts";
import { reasoningSandwich, reasoningSandwich1 } from "./reasoning-sandwich.ts";

const newest: readonly AnyMiddlewareDefinition[] = [localContext, completionGate, loopDetection, reasoningSandwich];
/** Versions that kept runs and versioned presets name. */
const earlier: readonly AnyMiddlewareDefinition[] = [completionGate1, loopDetection1, reasoningSandwich1];

/** The middlewares by name, each in its newest version. */
export const builtinMiddleware: Readonly<Record<string, AnyMiddlewareDefinition>> = Object.fromEntries(
  newest.map((one): [string, AnyMiddlewareDefinition] => [one.name, one]),
);

/** All that a configuration may name: beside them `name@version` for every version that there is. */
export const everyMiddleware: Readonly<Record<string, AnyMiddlewareDefinition>> = {
  ...builtinMiddleware,
  ...Object.fromEntries([...newest, ...earlier].map((one): [string, AnyMiddlewareDefinition] => [`${one.name}@${one.version}`, one])),
};
