import { z } from "zod";

/** How a run or a subagent ended, as events tell it. */
export const outcomeSchema = z
  .discriminatedUnion("type", [
    z.looseObject({ type: z.literal("done") }),
    z.looseObject({ type: z.literal("refused") }),
    z.looseObject({ type: z.literal("limit"), limit: z.string() }),
    z.looseObject({ type: z.literal("cancelled"), reason: z.string() }),
    z.looseObject({ type: z.literal("error"), kind: z.enum(["agent", "infra", "config"]), message: z.string() }),
  ])
  .describe(
    "`type` is `done`; `refused` (the model would not); `limit`, with the `limit` (`turns`, `tokens`, `costUsd`, `activeMs`, `context`: the conversation does not fit, `deadline`: time was over, `output`: a reply was cut at its length, and so was its continuation); `cancelled`, with the `reason`; `error`, with its `kind` (`agent`, `infra`, `config`: whose fault it is) and `message`.",
  );
