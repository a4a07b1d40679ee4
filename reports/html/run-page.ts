import type { RunStory, StoryTurn } from "../content/run-story.ts";
import type { StoryEntry } from "../content/story-entry.ts";
import { plural } from "../text/format.ts";
import { block, markup, type Markup } from "./markup.ts";
import { contentPolicy } from "./content-policy.ts";
import { pageStyle } from "./page-style.ts";
import { runStyle } from "./run-style.ts";

/** Lines that an answer has before it is folded. */
const longResult = 12;

/** A run as one HTML file: no script, nothing from elsewhere, every text of others shown as text. */
export function runPage(story: RunStory): string {
  const { title, verdict, passed, facts, task, system, turns } = story;
  const numbered = turns.filter(({ turn }) => turn > 0);
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: pageStyle + runStyle }}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="verdict ${passed === null ? "open" : passed ? "good" : "bad"}">${verdict}</p>
<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<nav aria-label="Turns"><ul>${numbered.map(({ turn }) => markup`<li><a href="#turn-${turn}">${turn}</a></li>`)}</ul></nav>
</header>
<main>
<section id="task"><h2>Task</h2>${text(task)}</section>
${system === "" ? undefined : markup`<section id="system"><details><summary>System prompt</summary>${text(system)}</details></section>\n`}
${turns.map((turn) => markup`${turnMarkup(turn)}\n`)}</main>
<footer>Written by <code>forge traces export</code>. Secrets were taken out: each character of one is a █.</footer>
</body>
</html>
`;
  return page.html;
}

const turnMarkup = ({ turn, sums, entries }: StoryTurn): Markup =>
  markup`<section id="turn-${turn}"><h2>${turn === 0 ? "Before the first turn" : `Turn ${turn}`}</h2>${
    turn === 0 ? undefined : markup`<p class="note">${sums}</p>`
  }${entries.map(entryMarkup)}</section>`;

function entryMarkup({ kind, lane, head, body, result, seq }: StoryEntry): Markup {
  return markup`<article class="${kind}"><h3>${lane === "" ? undefined : markup`<small>${lane}</small> `}${head} <small class="seq">${seq}</small></h3>${
    body === "" ? undefined : text(body)
  }${result ? resultMarkup(result) : undefined}</article>`;
}

function resultMarkup({ head, body }: NonNullable<StoryEntry["result"]>): Markup {
  if (body === "") return markup`<p class="result">→ ${head}</p>`;
  const lines = body.split("\n").length;
  return markup`<details class="result"${lines > longResult ? undefined : { html: " open" }}><summary>→ ${head}, ${plural(lines, "line")}</summary>${text(body)}</details>`;
}

const text = (body: string): Markup => markup`<pre dir="auto">${block(body)}</pre>`;
