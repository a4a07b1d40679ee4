/** Cuts a long result of a tool in its middle, for models that lose the thread in long contexts. */
import { middleware, z } from "forge-lab";

const options = z.strictObject({ characters: z.int().min(200).default(4000).describe("what stays of a result at most") });

export default middleware("short-results", "1", options, ({ characters }) => ({
  async tool(call, next, run) {
    const reply = await next(call);
    let cut = 0;
    const content = reply.content.map((part) => {
      if (part.type !== "text" || part.text.length <= characters) return part;
      const half = Math.floor(characters / 2);
      cut += part.text.length - 2 * half;
      const note = `\n[${part.text.length - 2 * half} characters left out; grep for what you need]\n`;
      return { ...part, text: `${part.text.slice(0, half)}${note}${part.text.slice(-half)}` };
    });
    if (cut === 0) return reply;
    run.intervene("cut a result", `${cut} characters over ${characters}`);
    return { ...reply, content };
  },
}));
