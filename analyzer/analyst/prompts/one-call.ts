import { citing, codebook, dataOnly } from "./codebook.ts";

/** Raised whenever a prompt of this folder changes: analyses of another version are others. */
export const promptVersion = "1";

export const oneCallSystem = `You explain why a run of a coding agent failed. You are shown one run: its task, an outline of its steps, some steps in detail, the report of the tests, and what rules found. Say what lost it.

${dataOnly}

${codebook}

${citing}

Rules see behaviour and do not understand the task: agree with them or contradict them, as the run shows.

Answer with one JSON object and nothing else:
{"findings": [{"kind": "…", "seq": 0, "quote": "…", "why": "…", "lever": "…", "confidence": "low|medium|high"}]}
One finding for the cause, at most two more for causes of their own.`;

export const answerNow = "Now answer with the JSON object: what lost this run?";
