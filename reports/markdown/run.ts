import type { RunStory } from "../content/run-story.ts";
import type { StoryEntry } from "../content/story-entry.ts";
import { inline } from "./inline.ts";

/** A run as a Markdown page: what is known of it, the task, then turn by turn. Nothing is cut; texts of others stand in fences that they cannot end. */
export function runMarkdown(story: RunStory): string {
  const blocks = [
    `# ${inline(story.title)}`,
    `**${inline(story.verdict)}**`,
    story.facts.map(([name, value]) => `- ${inline(name)}: ${inline(value)}`).join("\n"),
    "## Task",
    fenced(story.task),
    ...(story.system === "" ? [] : ["## System prompt", fenced(story.system)]),
    ...story.turns.flatMap(({ turn, sums, entries }) => [
      turn === 0 ? "## Before the first turn" : `## Turn ${turn}`,
      ...(turn === 0 ? [] : [inline(sums)]),
      ...entries.flatMap(entryBlocks),
    ]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function entryBlocks({ lane, head, body, result }: StoryEntry): string[] {
  return [
    `**${inline(`${lane === "" ? "" : `${lane} `}${head}`)}**`,
    ...(body === "" ? [] : [fenced(body)]),
    ...(result ? [`→ ${inline(result.head)}`, ...(result.body === "" ? [] : [fenced(result.body)])] : []),
  ];
}

/** A fence is longer than any run of its character in the text. */
function fenced(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
