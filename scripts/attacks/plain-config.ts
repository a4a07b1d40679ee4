import { harnessHash } from "../../harness/config/harness-hash.ts";
import type { ResolvedConfig } from "../../harness/contract/resolved-config.ts";
import { toolSchemas } from "../../harness/tools/tool-schemas.ts";

const plain = {
  model: { name: "sim/default", protocol: "native" as const, maxOutputTokens: 1000 },
  system: [],
  tools: toolSchemas(["bash"]),
  middleware: [],
  limits: {},
};

/** For agents that work by themselves. */
export const plainConfig: ResolvedConfig = { name: "plain", hash: harnessHash(plain), ...plain };
