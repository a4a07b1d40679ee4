import { z } from "zod";
import type { JsonObject } from "../json.ts";

/** What the model is told of a tool's arguments. Throws where a part of the schema is not to be had in JSON. */
export function parametersSchema(parameters: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(parameters, { io: "input" });
  return schema as JsonObject; // JSON Schema is plain JSON
}
