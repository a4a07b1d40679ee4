import { tokenPrice, variableName } from "./option-values.ts";

/** Options that several commands have, with one meaning. */
export const configuration = { value: "file|preset", about: "a configuration file, or a preset's name" } as const;
export const model = {
  value: "provider/name",
  about: "the model; docs/models.md lists the providers: anthropic, openai, openrouter, gemini, azure, bedrock, vertex and local servers",
} as const;
export const baseUrl = { value: "url", about: "address of a compatible server" } as const;
export const price = {
  value: "in,out",
  parse: tokenPrice,
  about: "USD per million tokens of a model that the table has no price for",
} as const;
export const taskEnv = {
  value: "name",
  repeat: true,
  parse: variableName,
  about: "a variable of your environment that tasks may read",
} as const;
export const dockerHost = {
  value: "address",
  repeat: true,
  about: "a Docker daemon, such as ssh://me@big; several share the trials",
} as const;
export const oneObject = { about: "one JSON object" } as const;
export const objectPerRun = { about: "one JSON object a run, the summary last" } as const;
export const eventsAsLines = { about: "NDJSON events on standard output, the result last" } as const;
export const issueStore = { value: "folder", about: "where issues are stored", default: ".forge/issues" } as const;
