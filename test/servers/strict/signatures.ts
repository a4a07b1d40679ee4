import { sha256 } from "../../../harness/hash/sha256.ts";
import { anthropicFacts } from "./anthropic-facts.ts";
import type { ScriptedSpeech, ScriptedStatus } from "../scripted-reply.ts";
import { type AnthropicBody, blocksOf, messagesOf, refused } from "./strict-anthropic.ts";

/** What api.anthropic.com remembers of the thinking it handed out. */
export interface Signatures {
  /** The refusal of a request whose thinking blocks are not as they were handed out. */
  refusal(body: AnthropicBody): ScriptedStatus | undefined;
  /** The reply with thinking where the model would think, signed and bound to the conversation. */
  sign(body: AnthropicBody, reply: ScriptedSpeech): ScriptedSpeech;
}

/**
 * platform.claude.com, Thinking and tool workflows: blocks go back unmodified. What's new in Fable 5.2: from Fable 5.1, Opus 5.5 and Sonnet 5.5 on a block is
 * bound to the conversation before it. Those of another model are ignored.
 */
export function createSignatures(): Signatures {
  const issued = new Map<string, { readonly model: unknown; readonly thinking: string; readonly before: string }>();
  return {
    refusal(body) {
      const facts = anthropicFacts(body["model"]);
      const messages = messagesOf(body);
      for (const [at, { content }] of messages.entries()) {
        for (const [index, block] of blocksOf(content).entries()) {
          if (block.type !== "thinking") continue;
          const known = issued.get(block.signature ?? "");
          const place = `messages.${at}.content.${index}`;
          if (known === undefined) return refused(`${place}: Invalid \`signature\` in \`thinking\` block`);
          if (known.model !== body["model"]) continue;
          // bastani-inc/atomic#1318.
          if (known.thinking !== block.thinking)
            return refused(
              `${place}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
            );
          if (facts?.preserved && known.before !== conversation(body, at))
            return refused(`${place}: Invalid \`signature\` in \`thinking\` block: it is bound to a different conversation`);
        }
      }
      return undefined;
    },
    sign(body, reply) {
      const facts = anthropicFacts(body["model"]);
      const asked = body["thinking"] as { readonly type?: string; readonly display?: string } | undefined; // a client sends anything
      const thinks = asked === undefined ? facts?.thinksUnasked : asked.type !== "disabled";
      if (facts === undefined || !thinks) return reply;
      const thinking = facts.omitsThinking && asked?.display !== "summarized" ? "" : "What to do next follows from what was asked.";
      const signature = sha256(`${issued.size} ${String(body["model"])}`);
      issued.set(signature, { model: body["model"], thinking, before: conversation(body, messagesOf(body).length) });
      return { ...reply, thinking, signature };
    },
  };
}

/** What comes before a message, cache markers aside. */
function conversation(body: AnthropicBody, end: number): string {
  const plain = (key: string, value: unknown): unknown => (key === "cache_control" ? undefined : value);
  return sha256(JSON.stringify([body["system"], messagesOf(body).slice(0, end)], plain));
}
