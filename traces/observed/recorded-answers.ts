import type { Message } from "../../harness/contract/messages.ts";
import type { Json, JsonObject } from "../../harness/json.ts";
import type { RunEvent } from "../../harness/events/schema.ts";
import { difference } from "../replay/compare/divergence.ts";
import type { SeenRequest } from "./observe-run.ts";
import { recordedRequests, type RecordedRequest, type RecordedTry } from "./recorded-requests.ts";
import {
  createLeveller,
  firstDifference,
  inOrderOfCalls,
  partsOf,
  type Levelled,
  type RequestPart,
  type SandboxPlaces,
} from "./request-parts.ts";

/** What a recorded run replies to a request of the same agent. */
export type RecordedAnswer =
  /** The request is the recorded one: what came of it then. */
  | { readonly type: "try"; readonly request: RecordedRequest; readonly tried: RecordedTry }
  /** It is the recorded one, and the run was ended before anything came of it. */
  | { readonly type: "nothing" }
  /** All was asked, and a limit ended the run then. */
  | { readonly type: "limit" }
  /** It is another one, or one too many. */
  | { readonly type: "lost" };

/** The first request that is not in the recording. */
interface OtherRequest {
  /** `differs` from a recorded one; `extra`: no recorded one of its kind is left. */
  readonly type: "differs" | "extra";
  /** Among all requests of the replay, from 1. */
  readonly number: number;
  /** The recorded one that is most like it: its event, `lane#n`, and its turn. */
  readonly at?: string;
  readonly lane?: string;
  readonly turn?: number;
  /** What differs first. */
  readonly part?: string;
  /** Unified, recorded against now, after levelling. */
  readonly diff: string;
}

export interface AnswersSoFar {
  readonly requests: number;
  readonly asked: number;
  /** Of these, with the very bytes that were recorded. */
  readonly sameBytes: number;
  readonly levelled: readonly Levelled[];
  readonly other: OtherRequest | undefined;
  /** The first of those that were not asked. */
  readonly next: { readonly at: string; readonly turn: number } | undefined;
  /** Secrets were masked in what the agent was given. */
  readonly redacted: boolean;
}

interface Conversation {
  readonly requests: RecordedRequest[];
  /** Index of the next one that is not done. */
  next: number;
  /** Tries of it that were served. */
  served: number;
}

/**
 * Answers the requests of an agent that runs again from its recorded run. A request is matched by its content with the next unused request of each recorded
 * conversation, so that side calls and subagents may come in any order, and each conversation only in its own; equal bytes go before equal after levelling,
 * and then the earlier recorded one. A request that failed then and is asked again is its next try. One that matches none ends the replay.
 */
export function createRecordedAnswers(
  events: readonly RunEvent[],
  o: { readonly model: string; readonly asked: string; readonly places: { readonly recorded: SandboxPlaces; readonly now: SandboxPlaces } },
) {
  const requests = recordedRequests(events);
  const conversations = new Map<string, Conversation>();
  for (const request of requests) {
    const known = conversations.get(request.lane);
    if (known) known.requests.push(request);
    else conversations.set(request.lane, { requests: [request], next: 0, served: 0 });
  }
  const leveller = createLeveller(o.places);
  const known = new WeakMap<RecordedRequest, readonly RequestPart[]>();
  const limited = events.some(({ t }) => t === "limit.hit");
  let [number, asked, sameBytes] = [0, 0, 0];
  let redacted = false;
  let other: OtherRequest | undefined;

  const recordedParts = (one: RecordedRequest): readonly RequestPart[] => {
    const { request, observed } = one;
    const parts =
      known.get(one) ?? partsOf({ request: { ...request, messages: inOrderOfCalls(request.messages) }, observed, model: o.model });
    known.set(one, parts);
    return parts;
  };
  const same = (recorded: RequestPart, now: RequestPart): boolean =>
    text(recorded.value) === text(now.value) || text(leveller.recorded(recorded)) === text(leveller.now(now));
  const heads = (): { conversation: Conversation; request: RecordedRequest }[] =>
    [...conversations.values()].flatMap((conversation) => {
      const request = conversation.requests[conversation.next];
      return request ? [{ conversation, request }] : [];
    });

  const serve = ({ conversation, request }: ReturnType<typeof heads>[number]): RecordedAnswer => {
    const tried = request.tries[conversation.served];
    if (conversation.served === 0) asked++;
    conversation.served++;
    if (conversation.served >= request.tries.length) {
      conversation.next++;
      conversation.served = 0;
    }
    if (!tried) return { type: "nothing" };
    if (tried.type === "reply" && tried.redacted) redacted = true;
    return { type: "try", request, tried };
  };

  /** Which recorded request a person would hold it against. */
  const nearest = (now: readonly RequestPart[]): RecordedRequest | undefined => {
    const mine = now.filter(isMessage);
    let best: { request: RecordedRequest; common: number } | undefined;
    for (const { conversation, request } of heads()) {
      if (hasTools(recordedParts(request)) !== hasTools(now)) continue;
      const theirs = recordedParts(request).filter(isMessage);
      const differs = theirs.findIndex((part, i) => !mine[i] || !same(part, mine[i]));
      const common = differs < 0 ? theirs.length : differs;
      // what shares nothing with a conversation that goes on is another conversation
      const [before] = conversation.requests.slice(0, conversation.next).slice(-1);
      const [first] = before ? recordedParts(before).filter(isMessage) : [];
      const goesOn = first && theirs[0] && text(first.value) === text(theirs[0].value);
      if ((common > 0 || !goesOn) && (!best || common > best.common)) best = { request, common };
    }
    return best?.request;
  };

  const lose = (now: readonly RequestPart[]): RecordedAnswer => {
    const request = nearest(now);
    const found = request && firstDifference(recordedParts(request), now, same);
    const [name, was, is] = found
      ? [found.name, found.recorded ? leveller.recorded(found.recorded) : null, found.now ? leveller.now(found.now) : null]
      : ["request", null, lastOf(now)];
    other ??= {
      type: request ? "differs" : "extra",
      number,
      ...(request ? { at: request.at, lane: request.lane, turn: request.turn } : {}),
      ...(found ? { part: found.name } : {}),
      diff: difference(was, is, name),
    };
    return { type: "lost" };
  };

  return {
    answer(seen: SeenRequest): RecordedAnswer {
      number++;
      if (other) return { type: "lost" };
      const candidates = heads();
      const bytes = candidates.find(({ request: { observed } }) => ["sha256", "path"].every((key) => observed[key] === seen.observed[key]));
      if (bytes) {
        sameBytes++;
        return serve(bytes);
      }
      const messages = inOrderOfCalls(seen.request.messages);
      const now = partsOf({
        request: { ...seen.request, messages, params: seen.request.params as unknown as JsonObject }, // plain JSON by its type
        observed: seen.observed,
        model: o.asked,
      });
      const fits = candidates.find(({ request }) => firstDifference(recordedParts(request), now, same) === undefined);
      if (fits) {
        leveller.count(recordedParts(fits.request), now);
        const [was, is] = [fits.request.request.messages, seen.request.messages].map(orderOf);
        if (was !== is) leveller.countOrder(was ?? "", is ?? "");
        return serve(fits);
      }
      if (candidates.length === 0 && limited) return { type: "limit" };
      return lose(now);
    },
    /** All that the recording can answer was asked. */
    isOver: (): boolean => heads().length === 0,
    soFar: (): AnswersSoFar => {
      const [next] = heads().map(({ request }) => ({ at: request.at, turn: request.turn }));
      return { requests: requests.length, asked, sameBytes, levelled: leveller.needed(), other, next, redacted };
    },
  };
}

const text = (value: Json): string => JSON.stringify(value);
const isMessage = ({ key }: RequestPart): boolean => key.startsWith("message ");
const hasTools = (parts: readonly RequestPart[]): boolean => parts.some(({ key }) => key.startsWith("tool "));
const orderOf = (messages: readonly Message[]): string =>
  messages.flatMap((message) => (message.role === "tool" ? [message.callId] : [])).join(" ");
const lastOf = (parts: readonly RequestPart[]): Json => parts.at(-1)?.value ?? null;
