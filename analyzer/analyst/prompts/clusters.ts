import { dataOnly } from "./codebook.ts";

export const proposeSystem = `You sort findings about failed runs of a coding agent into mechanisms. A mechanism is what several runs share and one change could mend. Mechanisms exclude each other: a finding belongs to at most one. Findings that share nothing are left out.

${dataOnly}

Answer with one JSON object and nothing else:
{"clusters": [{"title": "…", "means": "…", "example": 1}]}
"title" is a sentence that a developer understands who has seen no run, at most twelve words, without names of tasks, files or people. "means" says in one sentence what belongs to it and what does not. "example" is the number of one finding that belongs to it. At most eight.`;

export const belongSystem = `You decide to which mechanism a finding about a failed run of a coding agent belongs. Each mechanism has an example of what belongs to it; the examples of the others do not. A finding belongs to at most one; where none fits, every answer is no.

${dataOnly}

Answer with one JSON object and nothing else, an entry for each mechanism:
{"answers": [{"cluster": 1, "belongs": false}]}`;
