/** The agent is not done while a command fails: it is shown the end of the output and goes on. */
import { middleware, z } from "forge-lab";

const options = z.strictObject({
  command: z.string().min(1).describe("must end with exit code 0"),
  attempts: z.int().min(1).max(5).default(2).describe("finishes refused at most"),
});

export default middleware("tests-before-done", "1", options, ({ command, attempts }) => ({
  async finish(run) {
    const refused = run.log.interventions.filter((one) => one.middleware === "tests-before-done").length;
    if (refused >= attempts) return undefined;
    const { exitCode, stdout, stderr } = await run.exec(command);
    if (exitCode === 0) return undefined;
    const end = `${stdout}${stderr}`.trim().slice(-2000);
    return { message: `\`${command}\` ends with exit code ${exitCode}:\n${end}\nMend that, then finish.`, why: `exit code ${exitCode}` };
  },
}));
