import type { Message } from "../../harness/contract/messages.ts";
import type { EventData } from "../../harness/events/schema.ts";
import { messageOf } from "../read/rebuild-requests.ts";
import type { ExportedEvent } from "./exported-run.ts";
import { dataOf } from "./recorded.ts";

/** The message that an entry of a request added, wherever it is recorded; none where that event brings none. */
export function addedMessage(
  entry: EventData<"model.request">["add"][number],
  eventAt: (reference: string) => ExportedEvent | undefined,
): Message | undefined {
  if ("message" in entry) return entry.message as unknown as Message; // checked by L0
  const [, reference = "", place] = /^(.*?)(?:\+(\d+))?$/s.exec(String(entry["ref"])) ?? [];
  const event = eventAt(reference);
  if (event?.t !== "model.request") return event && messageOf(event);
  // a message that an earlier request brought itself
  const earlier = place === undefined ? undefined : dataOf(event, "model.request").add[Number(place)];
  return earlier && "message" in earlier ? (earlier.message as unknown as Message) : undefined; // as above
}
