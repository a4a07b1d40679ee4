import { ModelError } from "../../../contract/model-error.ts";
import { replyCaps } from "../../reply-caps.ts";

/**
 * `fetch` for a provider's SDK, which gathers a line, a body or an error's text in memory however long it is: a response that goes on past
 * `replyCaps.wireBytes`, or a line of an event stream past `lineBytes`, breaks off as `ModelError` of kind `invalid`: it would the next time. `who` is the model as people name it.
 */
export const cappedFetch =
  (who: string): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const streams = headers.get("content-type")?.includes("text/event-stream") === true;
    const lineBytes = streams ? replyCaps.lineBytes : replyCaps.wireBytes;
    return new Response(response.body.pipeThrough(counter(who, lineBytes)), { status, statusText, headers });
  };

const lineFeed = 10;

function counter(who: string, lineBytes: number): TransformStream<Uint8Array, Uint8Array> {
  const tooLong = (what: string, most: number): ModelError => new ModelError("invalid", `${who} sent ${what} of more than ${most} bytes.`);
  let bytes = 0;
  let line = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      const end = chunk.lastIndexOf(lineFeed);
      line = end === -1 ? line + chunk.length : chunk.length - 1 - end;
      if (bytes > replyCaps.wireBytes) controller.error(tooLong("a response", replyCaps.wireBytes));
      else if (line > lineBytes) controller.error(tooLong("a line", lineBytes));
      else controller.enqueue(chunk);
    },
  });
}
