/** How a provider is reached: its wire format, where it is, and which environment variables name its key and base URL. */
export interface KnownProvider {
  readonly wire: "anthropic" | "openai";
  /** The variables that may hold the key, the first that is set; left out: the server needs none. */
  readonly keyVariables?: readonly string[];
  readonly baseUrlVariable: string;
  /** Left out: the SDK's own (Anthropic, OpenAI), or none is known (`local`). */
  readonly baseUrl?: string;
  /** Reached by an SDK of its own, which reads more than a key from the environment. */
  readonly cloud?: "azure" | "bedrock" | "vertex";
  /** What else it needs from the environment, for people. */
  readonly needs?: string;
  /** It refuses a request with a seed. */
  readonly refusesSeed?: boolean;
}

/** The wire format of `provider/name`; undefined for a provider that is not known. */
export const wireOf = (model: string): KnownProvider["wire"] | undefined => {
  const provider = model.slice(0, model.indexOf("/"));
  return Object.hasOwn(knownProviders, provider) ? knownProviders[provider]?.wire : undefined;
};

/** The part before the slash in a model's name. A new compatible server is one more line. */
export const knownProviders: Readonly<Record<string, KnownProvider>> = {
  anthropic: { wire: "anthropic", keyVariables: ["ANTHROPIC_API_KEY"], baseUrlVariable: "ANTHROPIC_BASE_URL" },
  openai: { wire: "openai", keyVariables: ["OPENAI_API_KEY"], baseUrlVariable: "OPENAI_BASE_URL" },
  openrouter: {
    wire: "openai",
    keyVariables: ["OPENROUTER_API_KEY"],
    baseUrlVariable: "OPENROUTER_BASE_URL",
    baseUrl: "https://openrouter.ai/api/v1",
  },
  // Sources: ai.google.dev/gemini-api/docs/openai; Vali-98/ChatterUI#227 (seed).
  gemini: {
    wire: "openai",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrlVariable: "GEMINI_BASE_URL",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    refusesSeed: true,
  },
  azure: {
    wire: "openai",
    cloud: "azure",
    keyVariables: ["AZURE_OPENAI_API_KEY"],
    baseUrlVariable: "AZURE_OPENAI_ENDPOINT",
    needs: "OPENAI_API_VERSION",
  },
  bedrock: {
    wire: "anthropic",
    cloud: "bedrock",
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseUrlVariable: "ANTHROPIC_BEDROCK_BASE_URL",
    needs: "or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; AWS_REGION",
  },
  vertex: {
    wire: "anthropic",
    cloud: "vertex",
    baseUrlVariable: "ANTHROPIC_VERTEX_BASE_URL",
    needs: "GOOGLE_APPLICATION_CREDENTIALS, ANTHROPIC_VERTEX_PROJECT_ID, CLOUD_ML_REGION",
  },
  ollama: { wire: "openai", baseUrlVariable: "OLLAMA_BASE_URL", baseUrl: "http://127.0.0.1:11434/v1" },
  llamacpp: { wire: "openai", baseUrlVariable: "LLAMACPP_BASE_URL", baseUrl: "http://127.0.0.1:8080/v1" },
  lmstudio: { wire: "openai", baseUrlVariable: "LMSTUDIO_BASE_URL", baseUrl: "http://127.0.0.1:1234/v1" },
  vllm: { wire: "openai", baseUrlVariable: "VLLM_BASE_URL", baseUrl: "http://127.0.0.1:8000/v1" },
  local: { wire: "openai", baseUrlVariable: "LOCAL_BASE_URL" },
};
