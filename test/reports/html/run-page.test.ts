import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../harness/events/schema.ts";
import { runPage } from "../../../reports/html/run-page.ts";
import { runMarkdown } from "../../../reports/markdown/run.ts";
import { runStory } from "../../../reports/content/run-story.ts";
import { runFixture } from "../../../testing.ts";
import { exported } from "../../traces/export/exported.ts";
import { nestingFaults, reachesOut } from "./page-checks.ts";

const attack = "</pre></article><script>alert(1)</script>`````\n~~~\n# passed\n<img src=x onerror=y> [a](javascript:b) \u001b[2J\u202e&lt;";

async function recorded(text: string): Promise<RunEvent[]> {
  const script = [{ text, calls: [{ name: "bash", args: { command: text } }] }, { text }];
  const { events } = await runFixture({ task: text, script, exec: () => text });
  return [...events, { t: text as "note", lane: text, n: 0, cause: [], d: { [text]: text } }];
}

const texts = (page: string): string =>
  page
    .slice(page.indexOf("<body>"))
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

describe("the page of a run", () => {
  it("shows the task, what was said, called and answered, in their order, and how it ended", async () => {
    const { events } = await runFixture({
      task: "Count them.",
      script: [{ text: "I count.", calls: [{ name: "bash", args: { command: "wc -l" } }] }, { text: "Three." }],
      exec: () => "3 lines\n<b>",
    });
    const judged: RunEvent = { t: "verifier.result", lane: "trial", n: 0, cause: [], d: { rewards: { reward: 1 }, passed: true } };
    const page = runPage(runStory(exported([...events, judged])));
    const order = ["passed (the agent's end: done)", "Active time", "TaskCount them.", "You are a coding agent.", "Turn 1", "I count.", "bash", "wc -l", "3 lines\n<b>", "Turn 2", "Three."]; // prettier-ignore
    const places = order.map((text) => texts(page).indexOf(text));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(page).toContain('<a href="#turn-2">');
    expect(page).toContain("prefers-color-scheme:dark");
  });

  it("shows whatever a run says as text: nothing is fetched, nothing runs, no tag gets out", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constant(attack),
          fc.string().map((text) => attack + text),
        ),
        async (text) => {
          const page = runPage(runStory(exported(await recorded(text))));
          expect(nestingFaults(page.replaceAll(/<details class="result" open>/g, "<details>"))).toEqual([]);
          expect(reachesOut((page.match(/<[^>]*>/g) ?? []).join(""))).toEqual([]);
          expect(page).not.toMatch(/[^\P{C}\n\t]/u);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("a run as Markdown", () => {
  it("keeps texts of others within fences that they cannot end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constant(attack), fc.string({ unit: fc.constantFrom("`", "~", "\n", "#", "<", "a") })), async (text) => {
        const outside = withoutFences(runMarkdown(runStory(exported(await recorded(text)))));
        expect(outside.filter((line) => line.startsWith("#")).map((line) => line.replace(/^# .*/s, "#"))).toEqual(
          expect.arrayContaining(["#", "## Task", "## System prompt", "## Turn 1", "## Turn 2"]),
        );
        expect(outside.filter((line) => line.startsWith("#"))).toHaveLength(
          // After an empty reply the loop asks again.
          5 + outside.filter((line) => line === "## Before the first turn" || /^## Turn [3-9]$/.test(line)).length,
        );
        expect(outside.join("\n")).not.toMatch(/[<~`]/);
      }),
      { numRuns: 40 },
    );
  });
});

/** Lines outside of fenced blocks, as CommonMark finds them. */
function withoutFences(page: string): string[] {
  let fence: string | undefined;
  return page.split("\n").filter((line) => {
    const [, ticks] = /^(`{3,})/.exec(line) ?? [];
    if (fence === undefined) {
      fence = ticks;
      return ticks === undefined;
    }
    if (ticks !== undefined && ticks.length >= fence.length && line.trimEnd() === ticks) fence = undefined;
    return false;
  });
}
