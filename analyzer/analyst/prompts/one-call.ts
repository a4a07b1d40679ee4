import { citing, codebook, dataOnly } from "./codebook.ts";

/** Raised whenever a prompt of this folder changes: analyses of another version are others. */
export const promptVersion = "2";

export const oneCallSystem = `You explain why a run of a coding agent failed. You are shown one run: its task, an outline of its steps, some steps in detail, the report of the tests, and what rules found. Say what lost it.

${dataOnly}

${codebook}

${citing}

Rules see behaviour and do not understand the task: agree with them or contradict them, as the run shows.

Answer with one JSON object and nothing else:
{"findings": [{"seq": 0, "quote": "…", "why": "…", "kind": "…", "lever": "…", "confidence": "low|medium|high"}]}
One finding, for the cause; a second one only where another cause would have lost the run by itself. "seq" is a number that is written behind the word seq in what you are shown.`;

export const answerNow = "Now answer with the JSON object: what lost this run?";
