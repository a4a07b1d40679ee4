import { createRequire } from "node:module";
import type * as Yaml from "yaml";

const load = createRequire(import.meta.url);

/** Loaded with the first text that is YAML: it is some sixty modules, and most commands read none. */
export const loadYaml = (): typeof Yaml => load("yaml") as typeof Yaml;
