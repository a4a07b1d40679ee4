import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../harness/json.ts";

export interface LangSmithServer {
  readonly url: string;
  /** What was ingested, by id: sent again, it is the same one. */
  readonly runs: Map<string, JsonObject>;
  readonly feedback: Map<string, JsonObject>;
  /** `POST /runs/batch`, in order. */
  readonly requests: string[];
  /** All bytes that came in. */
  readonly received: () => string;
  /** Answers the n-th request from 0 with a status, or breaks its connection; undefined: as it should be. */
  fail: (n: number, path: string) => number | "break" | undefined;
  /** Answers 409 to what has an id that it knows, with all that stands in the same request. */
  keepsFirst: boolean;
  /** Pages of this many are given out. */
  pageSize: number;
  /** Puts a run into a project, as if it had been ingested. */
  add(project: string, run: JsonObject): void;
  close(): Promise<void>;
}

/** A server of LangSmith's API as far as it is asked here: ingestion, projects, feedback, and queries with cursors. */
export async function startLangSmithServer(key: string): Promise<LangSmithServer> {
  const sessions = new Map<string, string>();
  let count = 0;
  let bytes = "";
  const session = (name: string): string => {
    const id = sessions.get(name) ?? `00000000-0000-4000-8000-${String(sessions.size + 1).padStart(12, "0")}`;
    sessions.set(name, id);
    return id;
  };
  const self: Omit<LangSmithServer, "url"> & { url: string } = {
    url: "",
    runs: new Map(),
    feedback: new Map(),
    requests: [],
    received: () => bytes,
    fail: () => undefined,
    keepsFirst: false,
    pageSize: 100,
    add: (project, run) => void self.runs.set(String(run["id"]), { ...run, session_id: session(project) }),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  const answer = (path: string, query: URLSearchParams, method: string, body: JsonObject): unknown => {
    if (path === "/info") return { version: "0.12.0", batch_ingest_config: { size_limit: 100, size_limit_bytes: 20_971_520 } };
    if (path === "/sessions" && method === "POST") return { id: session(String(body["name"])), name: body["name"] };
    if (path === "/sessions") {
      const name = query.get("name") ?? "";
      return sessions.has(name) ? [{ id: session(name), name }] : [];
    }
    if (path === "/runs/batch") {
      for (const run of (body["post"] ?? []) as JsonObject[]) {
        self.add(String(run["session_name"]), run);
      }
      return {};
    }
    if (path === "/feedback" && method === "POST") {
      self.feedback.set(String(body["id"]), body);
      return body;
    }
    if (path === "/runs/query") {
      const { session: of, is_root: isRoot, trace, cursor } = body;
      const all = [...self.runs.values()].filter(
        (run) =>
          (!Array.isArray(of) || of.includes(run["session_id"] ?? "")) &&
          (isRoot !== true || run["parent_run_id"] === undefined) &&
          (typeof trace !== "string" || run["trace_id"] === trace),
      );
      const from = Number(cursor ?? 0);
      const next = from + self.pageSize < all.length ? String(from + self.pageSize) : null;
      return { runs: all.slice(from, from + self.pageSize), cursors: { next } };
    }
    return undefined;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // a request without an encoding gives bytes
    const text = Buffer.concat(chunks).toString();
    bytes += text;
    const url = new URL(request.url ?? "/", "http://server");
    if (url.pathname === "/runs/batch") self.requests.push(text);
    const wrong = self.fail(count++, url.pathname);
    if (wrong === "break") return void request.socket.destroy();
    const reply = (status: number, value: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    };
    if (wrong !== undefined) return reply(wrong, { detail: `status ${wrong}` });
    if (request.headers["x-api-key"] !== key) return reply(401, { detail: "Invalid token" });
    const body = text === "" ? {} : (JSON.parse(text) as JsonObject);
    const known = url.pathname === "/feedback" ? self.feedback.has(String(body["id"])) : url.pathname === "/runs/batch" && ((body["post"] ?? []) as JsonObject[]).some(({ id }) => self.runs.has(String(id))); // prettier-ignore
    if (self.keepsFirst && known) return reply(409, { detail: "Conflict" });
    const found = answer(url.pathname, url.searchParams, request.method ?? "GET", body);
    return found === undefined ? reply(404, { detail: "Not Found" }) : reply(200, found);
  };
  const server = createServer((request, response) => void handle(request, response));
  // Else a kept connection may end after 5 s, just when a client of a busy machine takes it up again.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // of a port
  return self;
}
