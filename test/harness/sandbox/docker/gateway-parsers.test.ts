import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connect } from "node:tls";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../needs.ts";

const runs = { numRuns: 1_000 };
const image = join(import.meta.dirname, "../../../../harness/sandbox/docker/gateway/image");

/** What a client of TLS sends first. */
async function greeting(servername?: string): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // of a port it is
  const client = connect({ host: "127.0.0.1", port, ...(servername === undefined ? {} : { servername }) }).on("error", () => undefined);
  const [socket] = (await once(server, "connection")) as [NodeJS.ReadableStream]; // what the event has
  const [data] = (await once(socket, "data")) as [Buffer]; // as above
  client.destroy();
  server.close();
  return data;
}

/** The same in records of at most so many bytes. */
function cut(hello: Buffer, size: number): Buffer {
  const body = hello.subarray(5);
  const pieces = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.subarray(i * size, (i + 1) * size));
  return Buffer.concat(pieces.flatMap((piece) => [Buffer.from([22, 3, 1, piece.length >> 8, piece.length & 255]), piece]));
}

const labels = (name: string): Buffer =>
  Buffer.concat([...name.split(".").map((one) => Buffer.concat([Buffer.from([one.length]), Buffer.from(one)])), Buffer.from([0])]);
const head = (...numbers: number[]): Buffer => Buffer.from(numbers.flatMap((one) => [one >> 8, one & 255]));
const record = (owner: Buffer, kind: number, data: Buffer): Buffer => Buffer.concat([owner, head(kind, 1, 0, 30, data.length), data]);
const query = (name: string): Buffer => Buffer.concat([head(7, 0x100, 1, 0, 0, 0), labels(name), head(1, 1)]);
const reply = (name: string, ...records: Buffer[]): Buffer =>
  Buffer.concat([head(7, 0x8180, 1, records.length, 0, 0), labels(name), head(1, 1), ...records]);

describe.skipIf(needs("python3"))("what the gateway reads of a client's bytes", () => {
  let python: ChildProcessWithoutNullStreams;
  let lines: AsyncIterator<string>;
  const ask = async (verb: string, data: Uint8Array | string): Promise<unknown> => {
    python.stdin.write(`${verb} ${Buffer.from(data).toString("hex")}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`The parser ended: ${Buffer.concat(await python.stderr.toArray()).toString()}`);
    return JSON.parse(value) as unknown;
  };
  beforeAll(() => {
    python = spawn("python3", [join(import.meta.dirname, "gateway/parse.py"), image]);
    lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  });
  afterAll(async () => {
    python.stdin.end();
    await once(python, "close");
  });

  it("is the name in a greeting of TLS, however it is cut, and more is waited for until it is whole", async () => {
    const hello = await greeting("one.example");
    expect(await ask("look", hello)).toEqual(["tls", ["one.example"]]);
    for (const size of [1, 7, 100, 400]) expect(await ask("look", cut(hello, size))).toEqual(["tls", ["one.example"]]);
    for (const length of [0, 1, 4, 5, 6, 50, hello.length - 1]) expect(await ask("look", hello.subarray(0, length))).toEqual(["more", []]);
    expect(await ask("look", await greeting())).toEqual(["tls", []]);
  });

  it("is nobody's name where a greeting was changed so that it cannot be read", async () => {
    const hello = await greeting("one.example");
    const change = fc.tuple(fc.nat(hello.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const data = Buffer.from(hello);
        for (const [at, value] of changes) data[at] = value;
        const [kind, names] = (await ask("look", data)) as [string, string[]]; // the parser's own word
        if (data[0] === 22 && data[1] === 3) expect(["tls", "more"]).toContain(kind);
        for (const name of names) expect(name).toMatch(/^[a-z0-9_][a-z0-9_.-]*$/);
      }),
      runs,
    );
    for (const kind of [20, 21, 23, 24]) expect(await ask("look", Buffer.from([kind, 3, 1, 0, 1, 1]))).toEqual(["tls", []]);
  });

  it.each([
    ["GET / HTTP/1.1\r\nHost: One.Example.:8080\r\n\r\nbody", ["http", ["one.example"]]],
    ["\r\n\nget / http/1.0\nhost:one.example\n\n", ["http", ["one.example"]]],
    ["GET / HTTP/1.1\r\nHost : one.example\r\n\r\n", ["http", ["one.example"]]],
    ["GET http://other.example/x HTTP/1.1\r\nHost: one.example\r\n\r\n", ["http", ["other.example", "one.example"]]],
    ["CONNECT other.example:443 HTTP/1.1\r\nHost: one.example\r\n\r\n", ["http", ["other.example", "one.example"]]],
    ["GET http://one.example@other.example/ HTTP/1.1\r\nHost: one.example\r\n\r\n", ["http", []]],
    ["GET / HTTP/1.1\r\nHost: one.example\r\nHost: other.example\r\n\r\n", ["http", []]],
    ["GET / HTTP/1.1\r\nHost: one.example other.example\r\n\r\n", ["http", []]],
    ["GET / HTTP/1.0\r\n\r\n", ["http", []]],
    ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ["http", []]],
    ["HTTP/\n\n", ["http", []]],
    ["ANY / HTTP/1.1\r\nHost: one.example\r\n", ["more", []]],
    ["GET / HT", ["more", []]],
    ["SSH-2.0-client\r\n", ["other", []]],
    ["0032git-upload-pack /x\0host=one.example\0", ["other", []]],
    ["\0\0\0\b\u0004", ["other", []]],
  ])("is, of %j, %j", async (text, expected) => {
    expect(await ask("look", Buffer.from(text, "latin1"))).toEqual(expected);
  });

  it("is never a way around the host of a request", async () => {
    const text = fc.string({
      unit: fc.constantFrom("\r", "\n", " ", "\t", ":", "/", "h", "H", "o", "ost: ", "HTTP/1.1", "GET ", "one.example", "\r\n", "x"),
    });
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const request = `GET /${before.replace(/[\r\n]/g, "")} HTTP/1.1\r\n${after}\r\nHost: other.example\r\n\r\n`;
        const [kind, names] = (await ask("look", request)) as [string, string[]]; // as above
        expect(kind).toBe("http");
        expect(names.every((name) => name === "one.example") && names.length > 0 && !/\n\r?\n/.test(after + "\r\n")).toBe(false);
      }),
      runs,
    );
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (data) => {
        expect(["more", "other", "tls", "http"]).toContain(((await ask("look", data)) as [string])[0]);
      }),
      runs,
    );
  });

  it("is the question of a name, and of its reply the addresses that are its own or another name's of its", async () => {
    expect(await ask("question", query("One.Example"))).toEqual([7, "one.example", 1, 1, expect.any(String)]);
    const here = Buffer.from([0xc0, 12]);
    const records = [
      record(here, 5, labels("cdn.example")),
      record(labels("cdn.example"), 1, Buffer.from([192, 0, 2, 1])),
      record(labels("elsewhere.example"), 1, Buffer.from([192, 0, 2, 2])),
    ];
    expect(await ask("answer", reply("one.example", ...records))).toEqual([0, false, ["192.0.2.1"], 30]);
    expect(await ask("answer", reply("two.example", ...records))).toEqual({ broken: "of another name" });
    const loop = Buffer.concat([head(7, 0x100, 1, 0, 0, 0), Buffer.from([0xc0, 12]), head(1, 1)]);
    expect(await ask("question", loop)).toEqual({ broken: "a name points nowhere" });
  });

  it("is, of hostile messages, an answer or none, and the parser goes on", async () => {
    const whole = reply("one.example", record(Buffer.from([0xc0, 12]), 1, Buffer.from([192, 0, 2, 1])));
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc.tuple(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length)).map(([at, value, length]) => {
        const data = Buffer.from(whole);
        data[at] = value;
        return data.subarray(0, length);
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("question", "answer"), bytes, async (verb, data) => {
        const said = await ask(verb, data);
        if (!Array.isArray(said)) expect(said).toHaveProperty("broken");
      }),
      runs,
    );
    expect(await ask("answer", whole)).toEqual([0, false, ["192.0.2.1"], 30]);
  });

  it("is held to the list: a name as it stands, *.name for what is below it, an address, a range", async () => {
    const list = ["one.example", "*.wild.example", "192.0.2.7", "198.51.100.0/24", "2001:db8::/32", "127.0.0.0/8"];
    const asked = ["one.example", "a.one.example", "wild.example", "a.wild.example", "a.b.wild.example", "xwild.example"];
    const addresses = ["192.0.2.7", "192.0.2.8", "198.51.100.9", "127.0.0.1"];
    expect(await ask("lists", JSON.stringify([list, ...asked]))).toEqual([true, false, false, true, true, false]);
    expect(await ask("lists", JSON.stringify([list, ...addresses]))).toEqual([true, false, true, false]);
  });
});
