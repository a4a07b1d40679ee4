import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Part, textOf } from "../../../harness/contract/messages.ts";
import type { Sandbox } from "../../../harness/sandbox/sandbox.ts";
import { pickTools, toolNames } from "../../../harness/tools/tool-schemas.ts";
import { runFixture } from "../../../testing.ts";
import { bench, type Bench } from "./call-tool.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What every built-in tool does, in every kind of sandbox. */
export function toolContract(kind: string, create: () => Promise<Sandbox>, missing = false): void {
  describe.skipIf(missing)(`tools in ${kind}`, () => {
    let sandbox: Sandbox;
    let b: Bench;
    beforeAll(async () => {
      sandbox = await create();
    });
    afterAll(async () => {
      await sandbox?.close();
    });
    beforeEach(async () => {
      // on the host the tools' folder is fresh, and one in /tmp is another test file's
      const outputs = sandbox.kind === "local" ? "" : "; rm -rf /tmp/.forge";
      await sandbox.exec(`find . -mindepth 1 -maxdepth 1 -exec rm -rf {} +${outputs}`);
      b = bench(sandbox);
      return () => b.tools.close();
    });
    const put = (path: string, text: string): Promise<void> => sandbox.writeFile(path, bytes(text));
    const get = async (path: string): Promise<string | undefined> => {
      const content = await sandbox.readFile(path);
      return content && new TextDecoder().decode(content);
    };
    const shell = async (command: string): Promise<string> => new TextDecoder().decode((await sandbox.exec(command)).stdout).trim();

    describe("a snapshot of the workdir", () => {
      it("follows what calls did, or says once that none can be taken", async () => {
        await put("a", "one");
        const s = bench(sandbox, { snapshots: true });
        const after = async (command: string) => (await s.call("bash", { command })).snapshot;
        const first = await after("echo two > b; ln -s a l");
        if ((await shell("command -v sha256sum || true")) === "") {
          expect(first).toMatchObject({ t: "note", d: { text: expect.stringContaining("no sha256sum in the sandbox") as unknown } });
          expect(await after("echo three > b")).toBeUndefined();
          return;
        }
        expect(first).toMatchObject({ t: "fs.snapshot", d: { files: 3, changed: ["b", "l"], removed: [] } });
        const second = await after("rm l; echo three > b");
        expect(second?.d).toMatchObject({ files: 2, changed: ["b"], removed: ["l"] });
        expect(second?.d["tree"]).not.toBe(first?.d["tree"]);
        expect((await after("ln -s a l; echo two > b"))?.d["tree"]).toBe(first?.d["tree"]);
        await s.tools.close();
      });
    });

    describe("bash", () => {
      it("shows both streams in the order they came, and the exit code", async () => {
        const reply = await b.call("bash", { command: "echo one; echo two >&2; echo three; exit 3" });
        expect(reply).toMatchObject({ status: "error", error: "exit_code" });
        expect(reply.text).toBe("<tool_output>\none\ntwo\nthree\n</tool_output>\nExit code: 3");
      });

      it("says so when there is no output", async () => {
        expect(await b.call("bash", { command: "true" })).toMatchObject({ status: "ok", text: "No output. Exit code: 0" });
      });

      it("runs in the workdir, or in the folder given", async () => {
        await put("sub/x", "");
        expect((await b.call("bash", { command: "pwd" })).text).toContain(`\n${sandbox.workdir}\n`);
        expect((await b.call("bash", { command: "pwd", workdir: "sub" })).text).toContain(`\n${sandbox.workdir}/sub\n`);
        const missing = await b.call("bash", { command: "echo here", workdir: "nowhere" });
        expect(missing.status).toBe("error");
        expect(missing.text).not.toContain("\nhere\n");
      });

      it("has the line numbers of the command in syntax errors", async () => {
        expect((await b.call("bash", { command: "echo hi\nif true; fi" })).text).not.toMatch(/line [13]|: [13]:/);
      });

      it("takes here-documents, quotes and comments as they are", async () => {
        const command = "cat > 'a b' <<'EOF'\nit's $HOME\nEOF\ncat 'a b' # done";
        expect((await b.call("bash", { command })).text).toContain("\nit's $HOME\n");
      });

      it("ends the whole tree when its time is over and keeps what was printed", async () => {
        const own = String(process.pid).padStart(7, "0"); // other test files look at the same list of processes
        const reply = await b.call("bash", { command: `echo first; sleep 5${own} & sleep 6${own}; echo never`, timeoutMs: 400 });
        expect(reply).toMatchObject({ status: "timeout", error: "timeout" });
        expect(reply.text).toContain("first");
        expect(reply.text).toContain("Ended after 400 ms");
        expect(await shell(`grep -lsa 'sleep.[56]${own}' /proc/[0-9]*/cmdline | grep -v self || true`)).toBe("");
      });

      it("answers a timeout with what was printed and what still runs, whatever its children ignore and hold, and the run goes on", async () => {
        const tools = pickTools(toolNames, { loop: 2 });
        const timeouts = bench(sandbox, { tools });
        const own = String(process.pid).padStart(7, "0"); // test files in other processes may share the machine's list
        await timeouts.call("bash", { command: `sleep 7${own} >/dev/null 2>&1 & echo started` });
        // the plain processes of a test carry no mark of a call, by which one is found that left its session
        const marked = (await shell("echo $FORGE_CALL")) !== "";
        const stubborn = `trap '' TERM INT HUP QUIT; sleep 8${own}; sleep 8${own}; sleep 8${own}`;
        const command = `echo first; (${stubborn}) & ${marked ? "setsid " : ""}sh -c "${stubborn}" & echo second >&2; ${stubborn}`;
        const calls = [{ name: "bash", args: { command, timeoutMs: 1_500 } }];
        const run = await runFixture({ script: [{ calls }, { text: "I saw it." }], tools: timeouts.tools });
        expect(run.result.outcome).toEqual({ type: "done" });
        const [result] = run.events.filter(({ t }) => t === "tool.result");
        const reply = result?.d["reply"] as { status: string; content: Part[] }; // the format's
        const told = textOf(reply.content);
        expect(reply.status).toBe("timeout");
        expect(told).toContain("<tool_output>\nfirst\nsecond\n");
        expect(told).toContain("Ended after 1500 ms, with everything it had started");
        if (marked) expect(told).toMatch(/\nStill running, from other calls: .*\d+ \(sleep\)/);
        expect(await shell(`grep -lsa 'sleep.[8]${own}' /proc/[0-9]*/cmdline | grep -v self || true`)).toBe("");
        await shell(`for p in $(grep -lsa 'sleep.[7]${own}' /proc/[0-9]*/cmdline); do p=\${p#/proc/}; kill \${p%/cmdline}; done`);
        expect(await run.replay()).toMatchObject({ exact: true });
      });

      it("refuses a timeout above ten minutes with the bound", async () => {
        const reply = await b.call("bash", { command: "true", timeoutMs: 600_001 });
        expect(reply).toMatchObject({ status: "error", error: "bad_arguments" });
        expect(reply.text).toContain('"timeoutMs"');
        expect(reply.text).toContain("600000");
      });

      it("throws the reason of an abort and ends the command", async () => {
        const abort = new AbortController();
        const call = b.call("bash", { command: "sleep 303" }, { signal: abort.signal });
        await sleep(200);
        abort.abort(new Error("enough"));
        await expect(call).rejects.toThrow("enough");
      });

      it("sees the edits of a command: made, changed, removed, but no caches", async () => {
        await put("a.txt", "a");
        await put("gone.txt", "x");
        const reply = await b.call("bash", {
          command:
            "echo b >> a.txt; rm gone.txt; mkdir -p d __pycache__ .git; echo n > 'd/new file'; touch __pycache__/x.pyc .git/x; ln -s a.txt link",
        });
        expect(reply.effects.edited).toEqual(["a.txt", "d/new file", "gone.txt", "link"]);
        expect((await b.call("bash", { command: "cat a.txt; ls" })).effects).toEqual({ edited: [] });
      });

      it("sees an edit that keeps the size, and one that keeps the time", async () => {
        await put("a.txt", "aaa");
        await put("b.txt", "bbb");
        await b.call("bash", { command: "true" });
        expect(
          (await b.call("bash", { command: "printf xyz > a.txt; touch -r a.txt ref; printf cd > b.txt; touch -r ref b.txt; rm ref" }))
            .effects.edited,
        ).toEqual(["a.txt", "b.txt"]);
      });

      it("reports a check with its verdict only when one was run", async () => {
        await put("test.sh", "exit $1\n");
        expect((await b.call("bash", { command: "sh test.sh 0" })).effects.check).toEqual({ command: "sh test.sh 0", result: "passed" });
        expect((await b.call("bash", { command: "sh test.sh 1" })).effects.check).toEqual({ command: "sh test.sh 1", result: "failed" });
        expect((await b.call("bash", { command: "cat test.sh; echo pytest" })).effects.check).toBeUndefined();
        expect((await b.call("bash", { command: "pytest-that-is-not-here || ./test.sh.not" })).effects.check).toBeUndefined();
      });

      it("strips escape sequences and what a progress bar drew over", async () => {
        const reply = await b.call("bash", { command: "printf '\\033[31mred\\033[0m\\r\\n10%%\\r100%%\\n\\a\\033]0;title\\007end\\n'" });
        expect(reply.text).toContain("\nred\n100%\nend\n");
      });

      it("shows head and tail of a long output and keeps all of it where read finds it", async () => {
        const reply = await b.call("bash", { command: "i=0; while [ $i -lt 9000 ]; do echo line-$i; i=$((i+1)); done" });
        expect(reply.text).toContain("line-0\n");
        expect(reply.text).toContain("line-8999\n");
        expect(reply.text).not.toContain("line-4500\n");
        expect(reply.text.length).toBeLessThan(31_000);
        const path = /is in (\S+)\. /.exec(reply.text)?.[1] ?? "";
        expect(reply.effects.edited).toEqual([]);
        expect((await b.call("read", { path, offset: 4501, limit: 1 })).text).toContain("line-4500\n");
        expect((await b.call("grep", { pattern: "line-4321$", path })).text).toContain("4322:line-4321");
      });
    });

    describe("background shells", () => {
      /** Reads the shell until its text fits, and answers all that was read; the test's own limit ends a wait for nothing. */
      const readUntil = async (id: string, fits: RegExp): Promise<string> => {
        for (let read = ""; ; await sleep(50)) {
          read += (await b.call("bash_output", { id })).text;
          if (fits.test(read)) return read;
        }
      };

      /** Returns when no process inside has such a command line; a process that was sent a signal takes a moment to go. */
      const gone = async (pattern: string): Promise<void> => {
        for (const look = `grep -lsa '${pattern}' /proc/[0-9]*/cmdline | grep -v self || true`; (await shell(look)) !== "";)
          await sleep(50);
      };

      it("give only what is new, then their end", async () => {
        const command = "echo one; until [ -e go ]; do sleep 0.05; done; echo two >&2; exit 4";
        const started = await b.call("bash", { command, background: true });
        expect(started).toMatchObject({ status: "ok" });
        const id = /shell-\d+/.exec(started.text)?.[0] ?? "";
        expect(await readUntil(id, /\none\n/)).toContain("still running");
        await put("go", "");
        const rest = await readUntil(id, /exited with code 4/);
        expect(rest).toContain("\ntwo\n");
        expect(rest).not.toContain("one");
        expect((await b.call("bash_output", { id })).text).toContain("Nothing new");
      });

      it("are a check when they end, not before", async () => {
        await put("test.sh", "until [ -e go ]; do sleep 0.05; done; exit 0\n");
        const started = await b.call("bash", { command: "sh test.sh", background: true });
        expect(started.effects.check).toBeUndefined();
        expect((await b.call("bash_output", { id: "shell-1" })).effects.check).toBeUndefined();
        await put("go", "");
        let check = (await b.call("bash_output", { id: "shell-1" })).effects.check;
        for (; check === undefined; await sleep(50)) check = (await b.call("bash_output", { id: "shell-1" })).effects.check;
        expect(check).toEqual({ command: "sh test.sh", result: "passed" });
        expect((await b.call("bash_output", { id: "shell-1" })).effects.check).toBeUndefined();
      });

      it("end at TERM with their descendants", async () => {
        await b.call("bash", { command: "trap 'echo bye; exit 0' TERM; sleep 311 & echo ready; wait", background: true });
        await readUntil("shell-1", /ready/);
        const reply = await b.call("kill_shell", { id: "shell-1" });
        expect(reply.text).toContain("was ended");
        expect(reply.text).not.toContain("KILL");
        expect((await b.call("bash_output", { id: "shell-1" })).text).toContain("bye");
        await gone("sleep.31[1]");
      });

      it("are killed when they do not heed TERM", async () => {
        await b.call("bash", { command: "trap '' TERM; echo ready; sleep 312; sleep 313", background: true });
        await readUntil("shell-1", /ready/);
        await b.call("kill_shell", { id: "shell-1" });
        await gone("sleep.31[23]");
        expect((await b.call("kill_shell", { id: "shell-1" })).text).toContain("had ended before");
      });

      it("that are unknown are answered with those there are", async () => {
        expect(await b.call("bash_output", { id: "shell-9" })).toMatchObject({ status: "error", error: "not_found" });
      });
    });

    describe("read", () => {
      it("numbers lines, and takes offset and limit", async () => {
        await put("a.txt", "one\ntwo\nthree\n");
        expect((await b.call("read", { path: "a.txt" })).text).toBe(
          "<tool_output>\n     1\tone\n     2\ttwo\n     3\tthree\n</tool_output>",
        );
        const part = await b.call("read", { path: "a.txt", offset: 2, limit: 1 });
        expect(part.text).toContain("     2\ttwo\n<");
        expect(part.text).toContain("Go on with offset 3");
        expect(await b.call("read", { path: "a.txt", offset: 9 })).toMatchObject({ status: "error", error: "past_end" });
      });

      it("answers a repetition with a stub, once, and never after a change", async () => {
        await put("a.txt", "one\n");
        await b.call("read", { path: "a.txt" });
        expect((await b.call("read", { path: `${sandbox.workdir}/a.txt` })).text).toContain("unchanged");
        expect((await b.call("read", { path: "a.txt" })).text).toContain("1\tone");
        await put("a.txt", "two\n");
        expect((await b.call("read", { path: "a.txt" })).text).toContain("1\ttwo");
      });

      it("asks whether another name was meant", async () => {
        await put("src/settings.py", "x");
        const reply = await b.call("read", { path: "src/setings.py" });
        expect(reply).toMatchObject({ status: "error", error: "not_found" });
        expect(reply.text).toContain("src/settings.py");
        expect((await b.call("read", { path: "settings.py" })).text).toContain("Did you mean src/settings.py?");
      });

      it("refuses binaries and folders, and says what to do instead", async () => {
        await sandbox.writeFile("b.bin", new Uint8Array([1, 0, 2]));
        expect(await b.call("read", { path: "b.bin" })).toMatchObject({ status: "error", error: "binary" });
        expect(await b.call("read", { path: "." })).toMatchObject({ status: "error", error: "is_folder" });
      });

      it("shows an image as one", async () => {
        const png = Buffer.from(
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
          "base64",
        );
        await sandbox.writeFile("dot.png", png);
        expect((await b.call("read", { path: "dot.png" })).content).toEqual([
          { type: "image", mediaType: "image/png", data: png.toString("base64") },
        ]);
      });

      it("cuts lines that are very long, and takes a part out of a very long file", async () => {
        await put("long.txt", `${"x".repeat(5_000)}\nnext\n`);
        expect((await b.call("read", { path: "long.txt" })).text).toContain("3000 more characters");
        await shell(
          "i=0; while [ $i -lt 6 ]; do head -c 1000000 /dev/zero | tr '\\0' 'a'; echo; i=$((i+1)); done > big.txt; echo last >> big.txt",
        );
        expect((await b.call("read", { path: "big.txt", offset: 7 })).text).toContain("     7\tlast");
      });

      it("says that a file is empty", async () => {
        await put("empty", "");
        expect((await b.call("read", { path: "empty" })).text).toBe("empty is empty.");
      });
    });

    describe("write", () => {
      it("makes a file with its folders and reports it as edited", async () => {
        const reply = await b.call("write", { path: "a/b/c.txt", content: "one\ntwo\n" });
        expect(reply).toMatchObject({ status: "ok", effects: { edited: ["a/b/c.txt"] } });
        expect(await get("a/b/c.txt")).toBe("one\ntwo\n");
      });

      it("replaces only what was read, and not what changed since", async () => {
        await put("a.txt", "old\n");
        expect(await b.call("write", { path: "a.txt", content: "new\n" })).toMatchObject({ status: "error", error: "not_read" });
        await b.call("read", { path: "a.txt" });
        await put("a.txt", "other\n");
        expect(await b.call("write", { path: "a.txt", content: "new\n" })).toMatchObject({ status: "error", error: "stale" });
        expect(await get("a.txt")).toBe("other\n");
        await b.call("read", { path: "a.txt" });
        expect(await b.call("write", { path: "a.txt", content: "new\n" })).toMatchObject({ status: "ok", effects: { edited: ["a.txt"] } });
        expect(await b.call("write", { path: "a.txt", content: "newer\n" })).toMatchObject({ status: "ok" });
        expect(await get("a.txt")).toBe("newer\n");
      });

      it("does not touch a file that has the text already", async () => {
        await b.call("write", { path: "a.txt", content: "x" });
        expect(await b.call("write", { path: "a.txt", content: "x" })).toMatchObject({ status: "ok", effects: { edited: [] } });
      });

      it("names a path outside the workdir in full", async () => {
        const path = `/tmp/forge-contract-${process.pid}.txt`;
        expect(await b.call("write", { path, content: "x" })).toMatchObject({ status: "ok", effects: { edited: [path] } });
        await sandbox.exec(`rm -f ${path}`);
      });

      it("cannot replace a folder", async () => {
        await put("d/x", "");
        expect(await b.call("write", { path: "d", content: "x" })).toMatchObject({ status: "error", error: "is_folder" });
      });
    });

    describe("edit", () => {
      it("replaces one exact place", async () => {
        await put("a.txt", "one\ntwo\nthree\n");
        const reply = await b.call("edit", { path: "a.txt", old_string: "two", new_string: "2 $& $1" });
        expect(reply).toMatchObject({ status: "ok", effects: { edited: ["a.txt"] }, text: "Edited a.txt: 1 place, line 2." });
        expect(await get("a.txt")).toBe("one\n2 $& $1\nthree\n");
      });

      it("lists at most five places with their lines when the text is not unique", async () => {
        await put("a.txt", "x = 1\n".repeat(7));
        const reply = await b.call("edit", { path: "a.txt", old_string: "x", new_string: "y" });
        expect(reply).toMatchObject({ status: "error", error: "not_unique" });
        expect(reply.text.match(/line \d: x = 1/g)).toHaveLength(5);
        expect(reply.text).toContain("and 2 more");
        expect(await b.call("edit", { path: "a.txt", old_string: "x", new_string: "y", replace_all: true })).toMatchObject({
          status: "ok",
        });
        expect(await get("a.txt")).toBe("y = 1\n".repeat(7));
      });

      it("says where the text is but for white space", async () => {
        await put("a.py", "def f():\n\treturn 1\n");
        const reply = await b.call("edit", { path: "a.py", old_string: "    return 1", new_string: "    return 2" });
        expect(reply).toMatchObject({ status: "error", error: "not_found" });
        expect(reply.text).toContain("at line 2");
      });

      it("keeps the line ends of a file that has CRLF", async () => {
        await put("a.txt", "one\r\ntwo\r\nthree\r\n");
        await b.call("edit", { path: "a.txt", old_string: "one\ntwo", new_string: "1\n2" });
        expect(await get("a.txt")).toBe("1\r\n2\r\nthree\r\n");
      });

      it("refuses a file that changed since it was read, and needs no read before", async () => {
        await put("a.txt", "one\n");
        await b.call("read", { path: "a.txt" });
        await put("a.txt", "one more\n");
        expect(await b.call("edit", { path: "a.txt", old_string: "one", new_string: "1" })).toMatchObject({
          status: "error",
          error: "stale",
        });
        await put("b.txt", "one\n");
        expect(await b.call("edit", { path: "b.txt", old_string: "one", new_string: "1" })).toMatchObject({ status: "ok" });
      });

      it("finds what was shown with its marks made harmless", async () => {
        await put("a.txt", "end = '</tool_output>'\n");
        expect((await b.call("read", { path: "a.txt" })).text).toContain("end = '<\\/tool_output>'");
        expect(await b.call("edit", { path: "a.txt", old_string: "'<\\/tool_output>'", new_string: "1" })).toMatchObject({ status: "ok" });
        expect(await get("a.txt")).toBe("end = 1\n");
      });

      it("does not destroy what is no UTF-8", async () => {
        await sandbox.writeFile("latin", new Uint8Array([0x61, 0xe9, 0x0a]));
        expect(await b.call("edit", { path: "latin", old_string: "a", new_string: "b" })).toMatchObject({
          status: "error",
          error: "binary",
        });
      });
    });

    describe("looking around", () => {
      beforeEach(async () => {
        await put("src/a.ts", "const needle = 1;\nconst b = 2;\n");
        await put("src/deep/b.ts", "needle();\nneedle();\n");
        await put("src/deep/c.md", "Needle\n");
        await put(".hidden.ts", "x\n");
      });

      it("glob finds files by name at every depth, or by path, sorted", async () => {
        expect((await b.call("glob", { pattern: "*.ts" })).text).toBe("<tool_output>\n.hidden.ts\nsrc/a.ts\nsrc/deep/b.ts\n</tool_output>");
        expect((await b.call("glob", { pattern: "src/*.ts" })).text).toBe("<tool_output>\nsrc/a.ts\n</tool_output>");
        expect((await b.call("glob", { pattern: "**/*.{md,txt}" })).text).toContain("src/deep/c.md");
        expect((await b.call("glob", { pattern: "*.ts", path: "src/deep" })).text).toBe("<tool_output>\nsrc/deep/b.ts\n</tool_output>");
        expect((await b.call("glob", { pattern: "*.rs" })).text).toContain("No file fits");
      });

      it("grep shows lines, files or counts", async () => {
        expect((await b.call("grep", { pattern: "needle" })).text).toBe(
          "<tool_output>\nsrc/a.ts:1:const needle = 1;\nsrc/deep/b.ts:1:needle();\nsrc/deep/b.ts:2:needle();\n</tool_output>",
        );
        expect((await b.call("grep", { pattern: "needle", mode: "files" })).text).toBe(
          "<tool_output>\nsrc/a.ts\nsrc/deep/b.ts\n</tool_output>",
        );
        expect((await b.call("grep", { pattern: "needle", mode: "count" })).text).toBe(
          "<tool_output>\nsrc/a.ts:1\nsrc/deep/b.ts:2\n</tool_output>",
        );
        expect((await b.call("grep", { pattern: "needle", glob: "*.md", ignore_case: true })).text).toContain("src/deep/c.md:1:Needle");
        expect((await b.call("grep", { pattern: "needle", path: "src/a.ts", context: 1 })).text).toContain("src/a.ts-2-const b = 2;");
      });

      it("grep says that nothing matches, that more match than shown, and what is wrong with a pattern", async () => {
        expect(await b.call("grep", { pattern: "nowhere" })).toMatchObject({ status: "ok" });
        expect((await b.call("grep", { pattern: "needle", limit: 2 })).text).toContain("Only the first 2 lines");
        expect(await b.call("grep", { pattern: "(" })).toMatchObject({ status: "error", error: "bad_pattern" });
        expect((await b.call("grep", { pattern: "-e" })).status).toBe("ok");
      });

      it("list_dir lists a folder", async () => {
        expect((await b.call("list_dir", {})).text).toBe("<tool_output>\n.hidden.ts\nsrc/\n</tool_output>");
        expect((await b.call("list_dir", { path: "src" })).text).toBe("<tool_output>\na.ts\ndeep/\n</tool_output>");
        expect(await b.call("list_dir", { path: "sr" })).toMatchObject({ status: "error", error: "not_found" });
        expect(await b.call("list_dir", { path: "src/a.ts" })).toMatchObject({ status: "error", error: "is_file" });
      });

      it("takes names with spaces and quotes", async () => {
        await put("it's a dir/x y.ts", "needle\n");
        expect((await b.call("grep", { pattern: "needle", path: "it's a dir" })).text).toContain("it's a dir/x y.ts:1:needle");
        expect((await b.call("glob", { pattern: "x*.ts" })).text).toContain("it's a dir/x y.ts");
        expect((await b.call("read", { path: "it's a dir/x y.ts" })).text).toContain("1\tneedle");
      });
    });
  });
}
