import { timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { sha256 } from "../../harness/hash/sha256.ts";
import { viewerPolicy } from "../html/content-policy.ts";

/**
 * Who may ask the viewer's server. It listens on the loopback alone, but every page that a browser has open can reach that too, and a name that is
 * rebound to it makes such a page one of ours to the browser. So: the host must be the loopback by number or name, a request must not come from another
 * page, and what is answered from disk (`/api/`) needs the token, which only the address that `forge view` printed holds. It is sent in a header: a
 * cookie would go to every server on this machine, whatever its port.
 * @param o.port asked at each request: it is known once the server listens
 */
export function guard(o: { readonly token: string; readonly port: () => number }): MiddlewareHandler {
  const expected = Buffer.from(sha256(o.token));
  return async (context, next) => {
    for (const [name, value] of Object.entries(headers)) context.header(name, value);
    const { req } = context;
    const hosts = [`127.0.0.1:${o.port()}`, `localhost:${o.port()}`];
    const host = req.header("host") ?? "";
    if (!hosts.includes(host)) return context.json({ error: `This server responds at ${hosts[0]} only.` }, 421);
    const origin = req.header("origin");
    if (origin !== undefined && origin !== `http://${host}`) return context.json({ error: "Another page may not use this server." }, 403);
    if (!req.path.startsWith("/api/")) return next();
    const from = req.header("sec-fetch-site");
    if (from !== undefined && from !== "same-origin" && from !== "none")
      return context.json({ error: "Another page may not use this server." }, 403);
    const [, given = ""] = /^Bearer (\S+)$/.exec(req.header("authorization") ?? "") ?? [];
    if (!timingSafeEqual(Buffer.from(sha256(given)), expected))
      return context.json({ error: "The token is missing or of another forge view: open the address that forge view printed." }, 401);
    return next();
  };
}

const headers: Readonly<Record<string, string>> = {
  "content-security-policy": viewerPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
