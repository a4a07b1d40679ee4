/** A tool: where a name is defined or used, without the noise of plain grep. Everything it sees it asks of the sandbox. */
import { tool, z } from "forge-lab";

export default tool({
  name: "find_symbol",
  description: "Lists the places where a name occurs as a whole word, as file:line: text. Use it before you rename or change something.",
  parameters: z.strictObject({
    name: z.string().min(1).describe("the name, such as parseArgs"),
    folder: z.string().default(".").describe("where to look"),
  }),
  readOnly: true,
  timeoutMs: 20_000,
  async run({ name, folder }, workspace) {
    const { stdout, stderr, exitCode } = await workspace.exec('grep -rnIw --exclude-dir=.git -F -e "$NAME" -- "$FOLDER" | head -n 100', {
      env: { NAME: name, FOLDER: folder },
    });
    if (stderr !== "") throw new Error(stderr.trim());
    return stdout === "" || exitCode !== 0 ? `No file in ${folder} has the word ${name}.` : stdout;
  },
});
