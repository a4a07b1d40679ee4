import type { ModelRow } from "../../contract/model-row.ts";

/** Models by name. */
export type Rows = Readonly<Record<string, ModelRow>>;

/** A dated name (`claude-opus-4-5-20251101`, `gpt-5-2025-08-07`) has its model's row; any other suffix is another model. */
export function findRow(rows: Rows, name: string): ModelRow | undefined {
  const undated = name.replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  return Object.hasOwn(rows, undated) ? rows[undated] : undefined;
}
