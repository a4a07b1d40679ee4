import type { LoadedTrace } from "../../read/load-trace.ts";
import { createRequestRebuilder, type RebuiltRequest } from "../../read/rebuild-requests.ts";

/** The recorded request that a replayed one is most like. */
export interface NearestRequest {
  /** `lane#n`. */
  readonly at: string;
  readonly seq: number;
  /** Messages at the beginning that are the same, of as many as the recorded one has. */
  readonly sameMessages: number;
  readonly messages: number;
  /** Of params, system and tools, what differs. */
  readonly differs: readonly ("params" | "system" | "tools")[];
}

/** The one with the most equal messages at its beginning; among these the one with the fewest differences besides, and then the fewest messages more. */
export function nearestRequest(trace: LoadedTrace, request: RebuiltRequest): NearestRequest | undefined {
  const rebuilder = createRequestRebuilder();
  const mine = request.messages.map((message) => JSON.stringify(message));
  const texts = new WeakMap<object, string>();
  const textOf = (value: object): string => {
    const known = texts.get(value) ?? JSON.stringify(value);
    texts.set(value, known);
    return known;
  };
  let nearest: NearestRequest | undefined;
  trace.events.forEach((event, i) => {
    const recorded = rebuilder.add(event);
    if (!recorded) return;
    const parts = (["params", "system", "tools"] as const).filter((part) => textOf(recorded[part]) !== JSON.stringify(request[part]));
    const different = recorded.messages.findIndex((message, at) => textOf(message) !== mine[at]);
    const candidate: NearestRequest = {
      at: `${event.lane}#${event.n}`,
      seq: trace.lines[i]?.seq ?? i,
      sameMessages: different < 0 ? recorded.messages.length : different,
      messages: recorded.messages.length,
      differs: parts,
    };
    if (!nearest || distance(candidate, mine.length) < distance(nearest, mine.length)) nearest = candidate;
  });
  return nearest;
}

/** A message that is missing or another one weighs more than all three other parts. */
const distance = ({ sameMessages, messages, differs }: NearestRequest, wanted: number): number =>
  4 * (Math.max(messages, wanted) - sameMessages) + differs.length;
