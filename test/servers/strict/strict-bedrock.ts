import { crc32 } from "node:zlib";
import type { ReceivedRequest, ScriptedStatus } from "../scripted-reply.ts";
import { anthropicRefusal } from "./strict-anthropic.ts";
import { type Speaker, startStrictServer, type StrictServer } from "../strict-server.ts";

/** Credentials that the server takes. */
export const bedrockAccess = {
  id: "AKIAIOSFODNN7EXAMPLE",
  secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  token: "bedrock-api-key-0123456789",
} as const;

export interface StrictBedrockOptions {
  /** In the place of a stream's second event. */
  readonly exception?: { readonly type: string; readonly message: string };
  /** The context window of every model, in tokens of four characters. */
  readonly contextTokens?: number;
}

/**
 * Amazon Bedrock's InvokeModelWithResponseStream for Claude. Sources: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html;
 * docs.aws.amazon.com/bedrock/latest/userguide, "Anthropic Claude Messages API"; platform.claude.com/docs/en/api/versioning.
 */
export const startStrictBedrock = (speaker: Speaker, o: StrictBedrockOptions = {}): Promise<StrictServer> => {
  let exceptions = o.exception === undefined ? 0 : 1;
  return startStrictServer(
    (request) => refuse(request, o),
    speaker,
    async (request, ask) => {
      const { anthropic_version: _version, ...body } = request.body;
      const response = await ask({ ...request, path: "/v1/messages", body: { ...body, model: modelIn(request.path), stream: true } });
      const events = (await response.text()).split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
      const failed = exceptions-- > 0 ? o.exception : undefined;
      const sent =
        failed === undefined
          ? events.map(chunkFrame)
          : [...events.slice(0, 1).map(chunkFrame), exceptionFrame(failed.type, failed.message)];
      return new Response(Buffer.concat(sent), { headers: { "content-type": "application/vnd.amazon.eventstream" } });
    },
  );
};

const modelIn = (path: string): string | undefined => {
  const found = /^\/model\/([^/]+)\/invoke-with-response-stream$/.exec(path)?.[1];
  return found === undefined ? undefined : decodeURIComponent(found);
};

function refuse({ path, headers, body, ...rest }: ReceivedRequest, { contextTokens }: StrictBedrockOptions): ScriptedStatus | undefined {
  const model = modelIn(path);
  if (model === undefined) return refused(404, "UnknownOperationException", "");
  const { id, token } = bedrockAccess;
  // AWS Signature Version 4 with service `bedrock`, or a Bedrock API key as a bearer token (docs.aws.amazon.com/bedrock, "Use an Amazon Bedrock API key").
  const signed = new RegExp(
    `^AWS4-HMAC-SHA256 Credential=${id}/\\d{8}/[a-z0-9-]+/bedrock/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$`,
  );
  const authorization = headers.authorization ?? "";
  if (authorization !== `Bearer ${token}` && !signed.test(authorization))
    return refused(403, "UnrecognizedClientException", "The security token included in the request is invalid.");
  // The body is the model's own: its name is in the path, and the operation says that it streams.
  const extraneous = ["model", "stream"].find((key) => body[key] !== undefined);
  if (extraneous !== undefined)
    return refused(
      400,
      "ValidationException",
      `Malformed input request: #: extraneous key [${extraneous}] is not permitted, please reformat your input and try again.`,
    );
  const version = body["anthropic_version"];
  if (version === undefined) return refused(400, "ValidationException", "anthropic_version: Field required");
  // API versioning: on Bedrock 2026-10-21 is for Claude 4.7 and later.
  const isNew = /opus-4-[78]|(opus|sonnet|haiku|fable|mythos)-5/.test(model);
  if (version !== "bedrock-2023-05-31" && !(version === "2026-10-21" && isNew))
    return refused(400, "ValidationException", `"${String(version)}" is not a valid version for this model`);
  // npm @earendil-works/pi-ai 1.5.2 `dist/utils/overflow.js`.
  if (contextTokens !== undefined && JSON.stringify(body).length / 4 > contextTokens)
    return refused(400, "ValidationException", "Input is too long for requested model.");
  const own = anthropicRefusal({
    ...rest,
    path,
    headers: { "anthropic-version": version === "2026-10-21" ? version : "2023-06-01" },
    body: { ...body, model: model.replace(/^.*anthropic\./, "").replace(/(-\d{8})?(-v\d+)?(:\d+)?$/, "") },
  });
  const { error } = (own?.body ?? {}) as { error?: { message: string } }; // that server's own shape
  return error && refused(400, "ValidationException", error.message);
}

const refused = (status: number, type: string, message: string): ScriptedStatus => ({
  status,
  headers: { "x-amzn-errortype": type },
  body: { message },
});

const chunkFrame = (event: string): Buffer =>
  frame(
    { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" },
    JSON.stringify({ bytes: Buffer.from(event).toString("base64") }),
  );
const exceptionFrame = (type: string, message: string): Buffer =>
  frame({ ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" }, JSON.stringify({ message }));

/** One message of an AWS event stream. Source: smithy.io, "Amazon Event Stream Specification". */
function frame(headers: Readonly<Record<string, string>>, payload: string): Buffer {
  const fields = Object.entries(headers).map(([name, value]) => {
    const head = Buffer.alloc(4 + Buffer.byteLength(name));
    head.writeUInt8(name.length, 0);
    head.write(name, 1);
    head.writeUInt8(7, 1 + name.length); // a string
    head.writeUInt16BE(Buffer.byteLength(value), 2 + name.length);
    return Buffer.concat([head, Buffer.from(value)]);
  });
  const head = Buffer.concat(fields);
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, head, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, sum]);
}
