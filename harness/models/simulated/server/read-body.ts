import type { z } from "zod";
import { BadRequest } from "./wire.ts";

/** A body by its schema. Throws `BadRequest` with the first key that is wrong. */
export function readBody<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  const param = issue?.path.join(".") ?? "";
  const missing = issue?.code === "invalid_type" && /received undefined/.test(issue.message);
  const words = missing ? `${param}: Field required` : `${param === "" ? "body" : param}: ${issue?.message ?? "not a request"}`;
  throw new BadRequest(words, param === "" ? {} : { param });
}
