/** What OpenAI's models take, from documentation alone: the product's own table is what these servers check. */
export interface Family {
  readonly models: RegExp;
  /** When sampling parameters are taken: always, with effort `none` alone, or never. */
  readonly sampling: "always" | "without reasoning" | "never";
  /** Values of effort. Empty: there is no such parameter. */
  readonly efforts: readonly string[];
  /** What a request without an effort gets. Left out: the model does not reason. */
  readonly effort?: string;
  /** Function tools on Chat Completions: with effort `none` in effect, with `none` sent, or never. Left out: always. */
  readonly chatTools?: "none in effect" | "none sent" | "never";
  readonly responsesOnly?: true;
  /** Drops reasoning whose earlier input changed. Source: developers.openai.com, "Keep prefix unchanged". */
  readonly dropsReasoning?: true;
}

const levels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const span = (first: string, last: string): string[] =>
  levels.slice(levels.indexOf(first), levels.indexOf(last) + 1).filter((level) => level !== "minimal" || first === "minimal");
const only = { sampling: "never", responsesOnly: true } as const;

/**
 * npm @ai-sdk/openai 4.0.118 `src/openai-model-catalog.ts`, npm openai 7.57.0 `ResponsesModel`, and developers.openai.com, Models (November 2026). Tools on Chat
 * Completions: pipecat-ai/pipecat#4043, BerriAI/litellm#34569, onyx-dot-app/onyx#15008, developers.openai.com, "Deployment checklist". The first that matches.
 */
const families: readonly Family[] = [
  { models: /^gpt-4(o|\.1)/, sampling: "always", efforts: [] },
  { models: /^gpt-5(\.\d)?-chat-latest/, sampling: "always", efforts: [] },
  { models: /^o[13]-pro|deep-research/, ...only, efforts: span("low", "high"), effort: "medium" },
  { models: /^o\d/, sampling: "never", efforts: span("low", "high"), effort: "medium" },
  { models: /^gpt-5-pro/, ...only, efforts: ["high"], effort: "high" },
  { models: /^gpt-5(\.\d)?-codex/, ...only, efforts: span("low", "xhigh"), effort: "medium" },
  { models: /^gpt-5\.5-pro/, ...only, efforts: span("medium", "xhigh"), effort: "high" },
  { models: /^gpt-5\.[24]-pro/, ...only, efforts: span("medium", "xhigh"), effort: "medium" },
  { models: /^gpt-5(-mini|-nano)?(-\d{4}|$)/, sampling: "never", efforts: span("minimal", "high"), effort: "medium" },
  { models: /^gpt-5\.1(-\d{4}|$)/, sampling: "without reasoning", efforts: span("none", "high"), effort: "none" },
  { models: /^gpt-5\.2(-\d{4}|$)/, sampling: "without reasoning", efforts: span("none", "xhigh"), effort: "none" },
  {
    models: /^gpt-5\.4(-mini|-nano)?(-\d{4}|$)/,
    sampling: "without reasoning",
    efforts: span("none", "xhigh"),
    effort: "none",
    chatTools: "none in effect",
  },
  {
    models: /^gpt-5\.5(-\d{4}|$)/,
    sampling: "without reasoning",
    efforts: span("none", "xhigh"),
    effort: "medium",
    chatTools: "none in effect",
  },
  {
    models: /^gpt-5\.6(-(sol|terra|luna))?(-\d{4}|$)|^gpt-6-(sol|luna)|^gpt-6\.1-terra/,
    sampling: "without reasoning",
    efforts: span("none", "max"),
    effort: "medium",
    chatTools: "none sent",
  },
  { models: /^gpt-6-astra|^gpt-6\.1-sol/, sampling: "never", efforts: span("low", "max"), effort: "medium", chatTools: "never" },
  {
    models: /^gpt-6\.2-(astra|sol)/,
    sampling: "never",
    efforts: span("low", "max"),
    effort: "medium",
    chatTools: "never",
    dropsReasoning: true,
  },
];

export const familyOf = (model: unknown): Family | undefined => families.find(({ models }) => models.test(String(model)));
