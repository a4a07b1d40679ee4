import type { AnyMiddlewareDefinition } from "../harness/contract/middleware.ts";
import { completionGate } from "./completion-gate.ts";
import { localContext } from "./local-context.ts";
import { loopDetection } from "./loop-detection.ts";
import { reasoningSandwich } from "./reasoning-sandwich.ts";

/** The middlewares that a configuration may name, by name. */
export const builtinMiddleware: Readonly<Record<string, AnyMiddlewareDefinition>> = Object.fromEntries(
  [localContext, completionGate, loopDetection, reasoningSandwich].map((one): [string, AnyMiddlewareDefinition] => [one.name, one]),
);
