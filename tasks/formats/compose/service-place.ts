import type { PlacedData } from "../read/check-data.ts";

/** Where a service is read, and what it may name. */
export interface ServicePlace {
  readonly root: string;
  /** Of the compose file: relative paths start there. */
  readonly folder: string;
  readonly placed: PlacedData;
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}
