import { type Fence, fencesIn } from "../../../harness/models/protocols/fences.ts";
import type { RunReply } from "../../runs/analyzed-run.ts";
import { type OwnFeature, placeOfReply, type Place } from "../feature.ts";

/** As much of a reply as is searched. */
const longest = 20_000;
const mostFences = 20;
const saysMuch = 200;

function fencesOf(text: string): Fence[] {
  const found: Fence[] = [];
  const next = fencesIn(text.slice(0, longest));
  for (let fence = next(0); fence && found.length < mostFences; fence = next(fence.end)) found.push(fence);
  return found;
}

/** JSON that names a tool, whole or broken; other JSON is data. */
const callKey = /"(?:tool|name|function|tool_name)"\s*:/;
const isJsonCall = ({ language, content }: Fence): boolean =>
  (language === "json" || (language === "" && /^\s*[[{]/.test(content))) && callKey.test(content);

/** What became of a call in JSON. */
function formOfCall({ steps: [call] }: RunReply, tools: readonly string[]): string {
  if (!call) return "cannot be parsed, so the reply counts as the final answer";
  if (call.error === "unknown_tool" || (tools.length > 0 && !tools.includes(call.tool))) return "names a tool that does not exist";
  return `calls the tool ${call.tool}`;
}

const first = (
  described: Omit<OwnFeature, "scope" | "needsEffects" | "find">,
  find: (reply: RunReply, tools: readonly string[]) => Place | undefined,
): OwnFeature => ({
  ...described,
  scope: "first reply",
  needsEffects: false,
  find: ({ replies: [reply], setup }) => reply && find(reply, setup.tools),
});

/** The form of the first reply. */
export const firstReply: readonly OwnFeature[] = [
  first(
    {
      name: "first-reply-json-call",
      shown: { says: "The first reply has a JSON call block.", explains: { kind: "malformed-call", lever: "tool-call-repair" } },
      lacking: { says: "The first reply has no JSON call block." },
    },
    (reply, tools) => {
      const fence = fencesOf(reply.text).find(isJsonCall);
      return fence && placeOfReply(reply, { around: fence.content.trim().slice(0, 40), form: formOfCall(reply, tools) });
    },
  ),
  first(
    {
      name: "first-reply-code-block",
      shown: { says: "The first reply has a fenced block of code.", explains: { kind: "malformed-call", lever: "tool-call-repair" } },
      lacking: { says: "The first reply has no fenced block of code.", explains: { kind: "malformed-call", lever: "prompt-section" } },
    },
    (reply) => {
      const fence = fencesOf(reply.text).find((one) => !isJsonCall(one));
      return (
        fence &&
        placeOfReply(reply, {
          around: fence.content.trim().slice(0, 40),
          form: fence.language === "" ? "no language" : fence.language.slice(0, 20),
        })
      );
    },
  ),
  first(
    {
      name: "first-reply-prose-only",
      shown: { says: "The first reply is prose, with no call and no block.", explains: { kind: "gave-up", lever: "prompt-section" } },
      lacking: { says: "The first reply has a call or a block." },
    },
    (reply) => (reply.steps.length === 0 && fencesOf(reply.text).length === 0 ? placeOfReply(reply) : undefined),
  ),
  first(
    {
      name: "first-reply-explains",
      shown: {
        says: `The first reply has ${saysMuch} characters of prose or more.`,
        explains: { kind: "over-thinking", lever: "prompt-section" },
      },
      lacking: { says: "The first reply acts without a plan in words.", explains: { kind: "wrong-cause", lever: "todo-list" } },
    },
    (reply) => {
      const fences = fencesOf(reply.text).reduce((sum, { start, end }) => sum + end - start, 0);
      return reply.text.length - fences >= saysMuch ? placeOfReply(reply) : undefined;
    },
  ),
  first(
    {
      name: "first-reply-several",
      shown: { says: "The first reply has several calls or blocks.", explains: { kind: "malformed-call", lever: "prompt-section" } },
      lacking: { says: "The first reply has one call or block at most." },
    },
    (reply) => (Math.max(reply.steps.length, fencesOf(reply.text).length) > 1 ? placeOfReply(reply) : undefined),
  ),
];
