import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { bundleRuns } from "../../../cli/traces/share/bundle-runs.ts";
import { envFileSecrets } from "../../../harness/secrets/env-file-secrets.ts";
import { envFilesNamed } from "../../../harness/secrets/env-files-in-call.ts";
import { exportRuns } from "../../../cli/traces/share/export-runs.ts";
import { exportToLangSmith } from "../../../cli/traces/share/export-to-langsmith.ts";
import { systemClock } from "../../../harness/system-ports.ts";
import type { Tools } from "../../../harness/contract/ports.ts";
import { createModel } from "../../../harness/models/create-model.ts";
import { createInPlaceSandbox } from "../../../harness/sandbox/in-place-sandbox.ts";
import { runFixture } from "../../../testing.ts";
import { parseQuery } from "../../../traces/index/query.ts";
import { openRunIndex } from "../../../traces/index/run-index.ts";
import { there } from "../../needs.ts";
import { startLangSmithServer } from "../../servers/langsmith-server.ts";
import { startModelServer } from "../../servers/model-server.ts";
import { bench } from "../tools/call-tool.ts";
import { canaries, countCanaries, secretOf } from "../../traces/canaries.ts";
import { writeRun } from "../../traces/write-run.ts";
import { said } from "../../cli/said.ts";

const made: string[] = [];
afterEach(() => vi.unstubAllEnvs());
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
const past = new Date(Date.now() - 60_000);

/** A folder with these files, older than any run. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "forge-env-"));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), past, past);
  }
  return folder;
}
const bytesBelow = (folder: string): Buffer =>
  Buffer.concat(readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) => (one.isFile() ? [readFileSync(join(one.parentPath, one.name))] : []))); // prettier-ignore

/** Nothing in these looks like a key; only the files say that they are. */
const plain = "quiet-harbour-lantern-4711";
const quoted = "two words and a # in between";
const many = "first-line-of-a-long-secret\nsecond-line-of-a-long-secret";
const inUrl = "hunter2-of-the-database";
const below = "deep-in-a-package-0815";
const outside = "beyond-the-folder-of-the-run";
const half = Math.floor(plain.length / 2);
const secrets = [plain, quoted, ...many.split("\n"), inUrl, below, outside];
/** The kinds of the table in docs/lab/secrets.md. */
const kinds = {
  ...Object.fromEntries(Object.entries(secretOf).map(([kind, secret]) => [kind, [secret]])),
  ".env": [plain],
  ".env, printed in two goes": [plain.slice(0, half), plain.slice(half)],
  ".env, in quotes": [quoted],
  ".env, on two lines": many.split("\n"),
  ".env, in a URL": [inUrl],
  ".env.local of a package": [below],
  "prod.env of another folder": [outside],
};
/** The rows of a table of a page, by its first cell. */
const tableOf = (page: string, heading: string): string[][] =>
  (page.split(`\n## ${heading}\n`)[1] ?? "").split(/\n## /)[0]?.match(/^\|.*\|$/gm)?.map((row) => row.slice(1, -1).split("|").map((cell) => cell.trim())) ?? []; // prettier-ignore
const context = {
  lane: "main/1.1",
  turn: 1,
  signal: new AbortController().signal,
  earlier: Promise.resolve(),
  emit: () => undefined,
  spawn: async () => ({}),
};

describe("what .env files hold", () => {
  it.skipIf(there("sqlite").length === 0)(
    "stands in no byte of trace, blob, index, export or bundle, split over chunks of a stream, of a command's output, or whole",
    async () => {
      const far = folderWith({ "prod.env": `export SERVICE_SECRET=${outside}\n` });
      const keys = Object.values(canaries).join("\n");
      const folder = folderWith({
        ".env": `# keys\nCANARY_TOKEN=${plain}\nexport APP_SECRET="${quoted}"\nSIGNING_KEY="${many}"\nDATABASE_URL=postgres://app:${inUrl}@db/app\nNODE_ENV=production\n`,
        "keys.txt": keys,
        "slow.sh": `. ./.env\nprintf 'begin %s' "$(printf %s "$CANARY_TOKEN" | cut -c 1-${half})"\nsleep 1\nprintf '%s end' "$(printf %s "$CANARY_TOKEN" | cut -c ${half + 1}-)"\nsleep 1\n`,
        "packages/api/.env.local": `API_PASSWORD='${below}'\n`,
      });
      const inside = `${secrets.filter((secret) => secret !== outside).join("\n")}\n${keys}`;
      const all = `${inside}\n${outside}`;
      const commands = [
        { command: "cat .env; cat packages/api/.env.local; cat keys.txt" },
        { command: `cat ${far}/prod.env` },
        { command: `. ./.env; echo "$CANARY_TOKEN"; yes "$CANARY_TOKEN" | head -n 1000` },
        { command: "sh slow.sh", background: true },
      ];
      const replies = [
        ...commands.map((args, i) => ({ text: `I read ${i < 2 ? inside : all}`, calls: [{ name: "bash", args }], chunkBytes: 7 })),
        {
          text: "",
          calls: [
            { name: "read", args: { path: ".env" } },
            { name: "bash", args: { command: "sleep 0.5" } },
          ],
          chunkBytes: 7,
        },
        {
          calls: [
            { name: "bash_output", args: { id: "shell-1" } },
            { name: "bash", args: { command: "sleep 1" } },
          ],
        },
        { calls: [{ name: "bash_output", args: { id: "shell-1" } }] },
        { text: `They are ${all}.`, chunkBytes: 5 },
      ];
      const server = await startModelServer({ replies });
      const settings = { name: "local/scripted", protocol: "native" as const, maxOutputTokens: 1000, baseUrl: server.url };
      const model = await createModel(settings, {}, { clock: systemClock });
      const sandbox = await createInPlaceSandbox(folder, { kind: "local" });
      const known = await envFileSecrets(folder, { CANARY_TOKEN: canaries["environment"] });
      const { tools } = bench(sandbox, { redact: known.redact, snapshots: true });
      const { events, replay } = await runFixture({
        script: model,
        tools: known.guarded(tools),
        redact: known.redact,
        task: "Read the keys.",
      });
      await tools.close();
      await sandbox.close();
      await server.close();

      expect(server.requests).toHaveLength(8);
      const results = events.filter(({ t }) => t === "tool.result").map(({ d }) => JSON.stringify(d["reply"]));
      expect(results[0]).toContain("NODE_ENV=production");
      expect(results[0]).toContain("█".repeat(plain.length));
      expect(results.join("")).toContain("begin");
      expect(await replay()).toMatchObject({ exact: true, redacted: true });

      vi.stubEnv("LANGSMITH_API_KEY", "lsv2_pt_only_for_this_test");
      const langsmith = await startLangSmithServer("lsv2_pt_only_for_this_test");
      vi.stubEnv("LANGSMITH_ENDPOINT", langsmith.url);
      const out = folderWith({});
      const run = writeRun(join(out, "run"), events);
      const index = await openRunIndex(join(out, "index.db"));
      await index.update(run);
      // its words lie in pieces in the file, so it is asked too
      const asked = [...Object.values(kinds).flat(), "production"].flatMap((text) => {
        const query = parseQuery(`"${text}"`);
        return query ? Array.from(index.search(query, { folders: new Set([run]) }), () => text) : [];
      });
      index.close();
      for (const format of ["atif", "otlp", "markdown", "html"]) expect((await said(() => exportRuns([run], { format, out: join(out, format) }))).code).toBe(0); // prettier-ignore
      expect((await said(() => exportToLangSmith([run], { format: "langsmith" }, out))).code).toBe(0);
      expect((await said(() => bundleRuns([run], { out: join(out, "shared.tgz") }))).code).toBe(0);
      await langsmith.close();
      const told = server.requests.map(({ body }) => (body["messages"] as { role: string }[]).filter(({ role }) => role === "tool")); // what a client sends
      const places = {
        "said by the model": Buffer.from(replies.map((reply) => ("text" in reply ? reply.text : "")).join("\n")),
        "told to the model": Buffer.from(JSON.stringify(told)),
        trace: readFileSync(join(run, "trace.jsonl")),
        blobs: bytesBelow(join(run, "blobs")),
        index: Buffer.concat([Buffer.from(asked.join("\n")), ...readdirSync(out).flatMap((name) => (name.startsWith("index.db") ? [readFileSync(join(out, name))] : []))]), // prettier-ignore
        ATIF: bytesBelow(join(out, "atif")),
        OTLP: bytesBelow(join(out, "otlp")),
        Markdown: bytesBelow(join(out, "markdown")),
        HTML: bytesBelow(join(out, "html")),
        LangSmith: Buffer.from(langsmith.received()),
        bundle: gunzipSync(readFileSync(join(out, "shared.tgz"))),
      };
      // what is no secret is found in each: nothing is compressed or encoded so that a search would miss a secret
      for (const [place, bytes] of Object.entries(places)) expect(bytes.includes(place === "said by the model" ? "I read" : place === "blobs" ? "█████" : "production"), place).toBe(true); // prettier-ignore
      const counts = countCanaries(kinds, places);
      for (const [kind, { "said by the model": saidByIt, ...found }] of Object.entries(counts)) {
        expect(saidByIt, kind).toBeGreaterThan(0);
        for (const [place, times] of Object.entries(found)) expect(times, `${kind} in ${place}`).toBe(0);
      }
      const measured = [["secret", ...Object.keys(places)], ...Object.entries(counts).map(([kind, row]) => [kind, ...Object.values(row).map(String)])]; // prettier-ignore
      const [heads, , ...rows] = tableOf(readFileSync(join(import.meta.dirname, "../../../docs/lab/secrets.md"), "utf8"), "Secrets");
      expect([heads, ...rows], `docs/lab/secrets.md: ${measured.map((row) => `| ${row.join(" | ")} |`).join("\n")}`).toEqual(measured);
      // no place that is not one of these
      const rest = bytesBelow(out);
      for (const secret of Object.values(kinds).flat()) expect(rest.includes(secret), secret).toBe(false);
    },
  );

  it("leaves a trace whole that said a value before anybody could know it for a secret, and it replays", async () => {
    const far = folderWith({ ".env": `LATE_TOKEN=${outside}\n` });
    const folder = folderWith({});
    const known = await envFileSecrets(folder, {});
    const sandbox = await createInPlaceSandbox(folder, { kind: "local" });
    const { tools } = bench(sandbox, { redact: known.redact });
    const script = [
      { text: `Is it ${outside}?`, calls: [{ name: "bash", args: { command: "true" } }] },
      { text: "", calls: [{ name: "bash", args: { command: `cat ${far}/.env` } }] },
      { text: `It is ${outside}.` },
    ];
    const { events, replay } = await runFixture({ script, tools: known.guarded(tools), redact: known.redact });
    await tools.close();
    await sandbox.close();
    expect(JSON.stringify(events).split(outside)).toHaveLength(2);
    expect(await replay()).toMatchObject({ exact: true });
  });

  it("is told apart from what is no secret, from examples, and from what the agent writes itself", async () => {
    const folder = folderWith({
      ".env": `APP_NAME=my-application\nDB_PASSWORD=postgres\nPRIVATE_PATH=/usr/local/share\nTOKEN_TTL=1234567890\nREAL_TOKEN=${plain}\n`,
      ".env.example": "API_KEY=put-your-own-key-here\n",
      "node_modules/x/.env": `X_TOKEN=${below}\n`,
    });
    const { redact, guarded } = await envFileSecrets(folder, {});
    const text = `my-application postgres /usr/local/share 1234567890 put-your-own-key-here ${below}`;
    expect(redact(text)).toBe(text);
    expect(redact(`a ${plain} b`)).toBe(`a ${"█".repeat(plain.length)} b`);
    const sandbox = await createInPlaceSandbox(folder, { kind: "local" });
    const { tools } = bench(sandbox, { redact });
    const asked = guarded(tools);
    const call = (command: string) => asked.call({ id: "1", name: "bash", args: { command } }, context);
    await call("echo TEST_TOKEN=made-up-by-the-agent > .env.test");
    expect(JSON.stringify(await call("cat .env.test"))).toContain("made-up-by-the-agent");
    await tools.close();
    await sandbox.close();
  });

  it("is known of .envrc and .flaskenv too, and wherever a command goes before it names the file", async () => {
    const run = folderWith({ ".envrc": `use flake\nexport FLAKE_TOKEN=${below}\n`, "api/.flaskenv": `FLASK_SECRET=${inUrl}\n` });
    const { redact } = await envFileSecrets(run, {});
    for (const value of [below, inUrl]) expect(redact(value)).toBe("█".repeat(value.length));

    const top = folderWith({ "run/a.txt": "", "other/.env": `OTHER_TOKEN=${outside}\n`, "two words/.env": `WORDS_TOKEN=${outside}\n` });
    const folder = join(top, "run");
    vi.stubEnv("HOME", top);
    const calls = [
      { command: "cd ../other && cat .env" },
      { command: "cd .. && cd other\ncat .env" },
      { command: "(cd ..; cat other/.env)" },
      { command: "cd /nowhere; (pushd ../other >/dev/null; cat ./.env)" },
      { command: 'cd "../two words" && cat .env' },
      { command: "cd && cat other/.env" },
      { command: "cd ~/other; cat .env" },
      { command: "env -C ../other cat .env" },
      { command: "cat \\\n../other/.env" },
      { command: "cat $PWD/../other/.env" },
      { command: 'cat "${PWD}"/../other/.env' },
      { command: "cd ../other; cat $(pwd)/.env" },
      { command: "cat $HOME/other/.env" },
      { command: 'cd "$HOME"/other; cat .env' },
      { command: "cat .env", workdir: "../other" },
      { command: `${"cd /nowhere; ".repeat(12)}cd ${top}/other; cat .env` },
    ];
    for (const args of calls) {
      const known = await envFileSecrets(folder, {});
      const ran: Tools = { schemas: [], readOnly: () => true, call: () => Promise.reject(new Error("not carried out here")) };
      await known
        .guarded(ran)
        .call({ id: "1", name: "bash", args }, context)
        .catch(() => undefined);
      expect(known.redact(outside), args.command).toBe("█".repeat(outside.length));
    }
  });

  it("is looked for in a long call of many folders and names without taking long", async () => {
    const command = `${"cd a; ".repeat(5000)}${"cat b/.env ".repeat(5000)}${"cd '".repeat(5001)}${'x"$PWD'.repeat(5000)}`;
    expect(envFilesNamed({ command }, "/somewhere").length).toBeLessThanOrEqual(2000);
  });
});
