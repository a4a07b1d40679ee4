import { ModelError } from "../../../contract/model-error.ts";

/** A conversation that does not fit into the model's context, with the numbers that each provider puts into words of its own. */
export class FullContext extends ModelError {
  readonly inputTokens: number;
  readonly mostTokens: number;
  constructor(who: string, inputTokens: number, mostTokens: number) {
    super("context", `${who} answered 400: prompt is too long: ${inputTokens} tokens > ${mostTokens} maximum.`, {
      status: 400,
      activeMs: 60,
    });
    this.inputTokens = inputTokens;
    this.mostTokens = mostTokens;
  }
}
