/** What the registry tells the model when a call was not carried out or not shown in full. Each says what to do next. */
export const unknownTool = (name: string, near: string | undefined, known: readonly string[]): string =>
  `There is no tool "${name}".${near ? ` Did you mean "${near}"?` : ""} The tools are: ${known.join(", ")}. Call one of them.`;

export const notInPlanMode = (name: string): string =>
  `"${name}" can change things, and this session only looks. Read, search and describe the change instead.`;

export const badArguments = (name: string, clause: string): string =>
  `The call of "${name}" was not carried out: ${clause}. Correct it and call again.`;

export const nobodyToAsk = (question: string): string =>
  `Denied: this needs an approval (${question}), and nobody is here to give it. Go on without it, or say in your answer what has to be run.`;

export const refusedByUser = (name: string): string =>
  `Denied: the user refused this call of "${name}". Do not repeat it; find another way or ask what they want.`;

export const toolFailed = (name: string, why: string): string => `"${name}" failed: ${why}. Check the arguments or use another tool.`;

export const spilled = (path: string, chars: number): string =>
  `The output had ${chars} characters; the whole of it is in ${path}. Read the part you need, or search in it.`;

export const notSpilled = (chars: number): string => `The output had ${chars} characters and could not be saved; run a narrower command.`;
