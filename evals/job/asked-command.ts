import { z } from "zod";
import { askedBoundsSchema } from "./asked-bounds.ts";

/** Of a job's `config.json`, what a person gave on the command line, as `forge bench` writes it. */
export const askedSchema = z.looseObject({
  agent: z.string(),
  repeats: z.int(),
  filter: z.string().nullable(),
  mode: z.string().nullable(),
  sandbox: z.string().nullable(),
  untilDecided: z.boolean().optional(),
  asked: z.looseObject({
    suite: z.string(),
    config: z.array(z.string()),
    agent: z.string().optional(),
    ablate: z.string().optional(),
    add: z.boolean().optional(),
    sweep: z.array(z.string()).optional(),
    model: z.string().nullable().optional(),
    baseUrl: z.string().nullable().optional(),
    price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
    taskEnv: z.array(z.string()).optional(),
    bounds: askedBoundsSchema.optional(),
  }),
});
