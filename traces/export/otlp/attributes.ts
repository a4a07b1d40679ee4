/** A value of the protocol. 64-bit whole numbers are written as text. */
type Value =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly Value[] } };
export interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** Attributes of what is known; undefined and null are left out. Texts get a UTF-8 form. */
export function attributes(known: Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>): Attribute[] {
  return Object.entries(known).flatMap(([key, value]) =>
    value === undefined || value === null || (typeof value === "number" && !Number.isFinite(value)) ? [] : [{ key, value: valueOf(value) }],
  );
}

function valueOf(value: string | number | boolean | readonly string[]): Value {
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(valueOf) } };
}
