/** Asks a person whether paid work that was described goes on; `yes`: they agreed by an option. Without a terminal the answer is no, with the cure. */
export async function agreeToPay(yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) {
    process.stderr.write("There is no terminal to ask at: add --yes to continue.\n");
    return false;
  }
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ message: "Go on?", initialValue: false })) === true;
}
