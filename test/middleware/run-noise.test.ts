import { describe, expect, it } from "vitest";
import type { ToolReply } from "../../harness/contract/messages.ts";
import { firstSignatures, secondSignatures } from "../../middleware/loop-detection/call-signature.ts";
import { loopDetection, loopDetection1 } from "../../middleware/loop-detection.ts";
import { runFixture } from "../../testing.ts";
import { bash, say } from "./workspace.ts";
import { costsOf } from "../grows-with-its-input.ts";

const reply = (text: string): ToolReply => ({
  status: "error",
  content: [{ type: "text", text }],
  effects: { edited: [], check: { command: "test", result: "failed" } },
});
const { call, reply: answer, error } = secondSignatures;
const command = (text: string) => call({ name: "bash", args: { command: text } });

/** One failure as each runner prints it, and the same failure a moment later: only what means nothing differs. */
const twice: readonly (readonly [runner: string, first: string, second: string])[] = [
  [
    "pytest",
    "tmp_path = PosixPath('/tmp/pytest-of-root/pytest-11/test_a0')\nE   assert 3 == 4\na.py:7: AssertionError\n1 failed, 2 passed in 0.12s\nUsing --randomly-seed=3141",
    "tmp_path = PosixPath('/tmp/pytest-of-root/pytest-12/test_a0')\nE   assert 3 == 4\na.py:7: AssertionError\n1 failed, 2 passed in 1.34s\nUsing --randomly-seed=2718",
  ],
  [
    "unittest",
    'FAIL: test_a (t.A)\nFile "/tmp/tmpab12cd34/t.py", line 5\nAssertionError: 3 != 4\nRan 3 tests in 0.001s\n\nFAILED (failures=1)',
    'FAIL: test_a (t.A)\nFile "/tmp/tmpzz98yx76/t.py", line 5\nAssertionError: 3 != 4\nRan 3 tests in 0.020s\n\nFAILED (failures=1)',
  ],
  [
    "jest",
    "(node:4711) Warning: x\nFAIL src/a.test.js (5.1 s)\n  Expected: 3\n  Received: 4\nTests: 1 failed, 2 passed, 3 total\nTime:        1.2 s, estimated 2 s",
    "(node:5022) Warning: x\nFAIL src/a.test.js (4.9 s)\n  Expected: 3\n  Received: 4\nTests: 1 failed, 2 passed, 3 total\nTime:        0.9 s, estimated 1 s",
  ],
  [
    "vitest behind npm",
    " Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n   Start at  07:42:30\n   Duration  2.24s (transform 110ms, setup 1ms)\nnpm error A complete log of this run can be found in: /root/.npm/_logs/2026-07-09T16_36_54_088Z-debug-0.log",
    " Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)\n   Start at  07:42:58\n   Duration  2.29s (transform 128ms, setup 0ms)\nnpm error A complete log of this run can be found in: /root/.npm/_logs/2026-07-09T16_37_22_511Z-debug-0.log",
  ],
  [
    "mocha",
    "  2 passing (15ms)\n  1 failing\n  Error: connect ECONNREFUSED 127.0.0.1:43211",
    "  2 passing (9ms)\n  1 failing\n  Error: connect ECONNREFUSED 127.0.0.1:38817",
  ],
  [
    "node --test",
    "not ok 1 - adds\n  duration_ms: 0.412\n# fail 1\n# duration_ms 45.6",
    "not ok 1 - adds\n  duration_ms: 1.9\n# fail 1\n# duration_ms 51",
  ],
  [
    "go test",
    "--- FAIL: TestA (0.00s)\n    a_test.go:9: got 4, want 3\ngoroutine 18 [running]:\nmain.f(0xc00001c0a8)\nFAIL\texample.com/a\t0.003s",
    "--- FAIL: TestA (0.01s)\n    a_test.go:9: got 4, want 3\ngoroutine 21 [running]:\nmain.f(0xc0000b2008)\nFAIL\texample.com/a\t0.012s",
  ],
  [
    "cargo test",
    "     Running unittests src/lib.rs (target/debug/deps/a-0123456789abcdef)\nthread 'tests::adds' (8101) panicked at src/lib.rs:9:5:\n  left: 4\n right: 3\ntest result: FAILED. 2 passed; 1 failed; finished in 0.00s",
    "     Running unittests src/lib.rs (target/debug/deps/a-fedcba9876543210)\nthread 'tests::adds' (8177) panicked at src/lib.rs:9:5:\n  left: 4\n right: 3\ntest result: FAILED. 2 passed; 1 failed; finished in 0.01s",
  ],
  [
    "maven",
    "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE!\n[INFO] Total time:  1.204 s\n[INFO] Finished at: 2026-07-09T16:36:54+02:00",
    "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.061 s <<< FAILURE!\n[INFO] Total time:  1.511 s\n[INFO] Finished at: 2026-07-09T16:37:30+02:00",
  ],
  [
    "rspec",
    "expected: 3\n     got: 4\nFinished in 0.01234 seconds (files took 0.09 seconds to load)\n3 examples, 1 failure\nRandomized with seed 4711",
    "expected: 3\n     got: 4\nFinished in 0.02 seconds (files took 0.11 seconds to load)\n3 examples, 1 failure\nRandomized with seed 12",
  ],
  [
    "phpunit",
    "Failed asserting that 4 matches expected 3.\nTime: 00:00.012, Memory: 6.00 MB\nTests: 3, Assertions: 3, Failures: 1.",
    "Failed asserting that 4 matches expected 3.\nTime: 00:00.019, Memory: 8.00 MB\nTests: 3, Assertions: 3, Failures: 1.",
  ],
  [
    "ctest",
    "1/2 Test #1: adds .......***Failed    0.01 sec\n==812==ERROR: AddressSanitizer\n50% tests passed, 1 tests failed out of 2\nTotal Test time (real) =   0.02 sec",
    "1/2 Test #1: adds .......***Failed    0.02 sec\n==977==ERROR: AddressSanitizer\n50% tests passed, 1 tests failed out of 2\nTotal Test time (real) =   0.03 sec",
  ],
];

describe("what a failure means", () => {
  it.each(twice)("is the same when it comes a second time: %s", (_, first, second) => {
    expect(answer(reply(second))).toBe(answer(reply(first)));
    expect(error(reply(second))).toBe(error(reply(first)));
  });

  it.each(twice)("is another one with another number in what it says: %s", (_, first) => {
    // an asserted number, or how many failed: those of them that are printed
    const changes = [
      [/\b4\b/, "5"],
      [/Failures: 1\b/, "Failures: 2"],
      [/\b1( (?:failed|failing|failure|tests failed))/, "2$1"],
    ] as const;
    const others = changes.filter(([was]) => was.test(first)).map(([was, is]) => first.replace(was, is));
    expect(others.map((other) => answer(reply(other)))).not.toContain(answer(reply(first)));
    expect(others.length + (first.includes("# fail 1") ? 1 : 0)).toBeGreaterThan(0);
  });

  it("is another error with another asserted number or number of failures, wherever the line is", () => {
    expect(error(reply("a.py:7: AssertionError: 3 != 4"))).toBe(error(reply("a.py:12: AssertionError: 3 != 4")));
    expect(error(reply("a.py:7: AssertionError: 3 != 4"))).not.toBe(error(reply("a.py:7: AssertionError: 3 != 5")));
    expect(error(reply("FAILED (failures=1)"))).not.toBe(error(reply("FAILED (failures=2)")));
    expect(firstSignatures.error(reply("3 != 4: error"))).toBe(firstSignatures.error(reply("3 != 5: error")));
  });

  it("does not depend on where a command puts its output, or on which port", () => {
    expect(command("npm test > /tmp/out1.log 2>&1")).toBe(command("npm test > /tmp/out2.log 2>&1"));
    expect(command("pytest | tee run3.txt")).toBe(command("pytest | tee run4.txt"));
    expect(command("PORT=3001 npm test")).toBe(command("PORT=3002 npm test"));
    expect(command("cat /tmp/a.txt")).not.toBe(command("cat /tmp/b.txt"));
    expect(command("pytest -k a")).not.toBe(command("pytest -k b"));
  });

  it("is noticed when the same failing command is run again, which the first version did not", async () => {
    const [, one = "", other = ""] = twice.find(([runner]) => runner === "vitest behind npm") ?? [];
    let n = 0;
    const run = async (definition: typeof loopDetection) =>
      runFixture({
        middleware: [definition.create(definition.options.parse({}))],
        script: [...Array.from({ length: 4 }, () => bash("npm test")), say("DONE")],
        tools: { bash: () => ({ status: "error", text: n++ % 2 ? one : other, effects: { edited: [] } }) },
      });
    expect((await run(loopDetection)).interventions.map(({ change }) => change)).toContain("refused a repeated call");
    expect((await run(loopDetection1)).interventions.map(({ change }) => change)).not.toContain("refused a repeated call");
  });

  it("is found in the longest answer in no time that grows with its square", () => {
    for (const unit of ["0", "a.", "/tmp/", "1:", "<", "tmp", "thread '", "\n", " "]) {
      const { fourfold, most } = costsOf((chars) => void answer(reply(unit.repeat(chars / unit.length))), 7_500);
      expect(fourfold).toBeLessThan(most);
    }
  });
});
