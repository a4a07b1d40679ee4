import type { Model } from "../../contract/ports.ts";
import { createScriptedModel } from "./scripted-model.ts";

/** The agent that does nothing: a task it passes checks nothing. */
export function createNopModel(): Model {
  return createScriptedModel([{ text: "Nothing to do." }], { name: "nop" });
}
