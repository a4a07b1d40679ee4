import { isObject, type Json, type JsonObject } from "../../../harness/json.ts";

/** Looks at data of others: each answers what it is asked for, or that it is not there. */
export const member = (of: Json | undefined, key: string): Json | undefined =>
  isObject(of) && Object.hasOwn(of, key) ? of[key] : undefined;
export const objectIn = (of: Json | undefined, key: string): JsonObject => {
  const value = member(of, key);
  return isObject(value) ? value : {};
};
export const listIn = (of: Json | undefined, key: string): readonly Json[] => {
  const value = member(of, key);
  return Array.isArray(value) ? value : [];
};
export const textIn = (of: Json | undefined, key: string): string => {
  const value = member(of, key);
  return typeof value === "string" ? value : "";
};
export const numberIn = (of: Json | undefined, key: string): number | undefined => {
  const value = member(of, key);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};
/** Tokens: a whole number, 0 where there is none. */
export const countIn = (of: Json | undefined, key: string): number => {
  const value = numberIn(of, key);
  return value !== undefined && value > 0 ? Math.min(Math.round(value), Number.MAX_SAFE_INTEGER) : 0;
};
/** Unix milliseconds of an ISO time. */
export const timeIn = (of: Json | undefined, key: string): number | undefined => {
  const time = Date.parse(textIn(of, key));
  return Number.isFinite(time) && time >= 0 ? time : undefined;
};
/** What is left of an object beside the keys that were used, without members that say nothing; undefined where nothing is. */
export function rest(of: JsonObject, used: readonly string[]): JsonObject | undefined {
  const left = Object.entries(of).filter(([key, value]) => !used.includes(key) && value !== null);
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}
