import { execa } from "execa";

/** Whether bash takes a text as a whole script. It only warns of a here-document that the end of the file cuts off. */
export async function isComplete(text: string): Promise<boolean> {
  const { exitCode, stderr } = await execa("bash", ["-n"], { input: text, reject: false, env: { LC_ALL: "C" } });
  return exitCode === 0 && stderr === "";
}
