import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../harness/json.ts";
import { parseTextReply } from "../../../../harness/models/protocols/text-parse.ts";
import { renderCall } from "../../../../harness/models/protocols/text-render.ts";

const tools = ["bash", "read"];
const parse = (text: string, cutOff = false) => parseTextReply(text, { tools, cutOff });
const command = (text: string, cutOff = false) => parse(text, cutOff).call?.args["command"];

describe("a fenced command", () => {
  test.each([
    ["bash", "I look.\n```bash\nls -la\n```\nThat shows it.", "ls -la"],
    ["sh", "```sh\nls\n```", "ls"],
    ["several lines", "```bash\ncd src\nls\n```", "cd src\nls"],
    ["an indented block in a list", "1. First:\n   ```bash\n   cd src\n     ls\n   ```", "cd src\n  ls"],
    ["Windows line ends at the fence", "```bash\r\nls\n```\r\n", "ls"],
    [
      "a here-document with fences in it",
      "```bash\ncat > R.md <<'EOF'\n```js\nx()\n```\nEOF\ncat R.md\n```\n",
      "cat > R.md <<'EOF'\n```js\nx()\n```\nEOF\ncat R.md",
    ],
    ["a here-document that never ends", "```bash\ncat > R.md <<'EOF'\nhello\n```\nDone.", "cat > R.md <<'EOF'\nhello"],
    ["a longer fence", "````bash\necho '```'\n```\n````", "echo '```'\n```"],
    ["a block the model forgot to close", "Now:\n```bash\nls -la", "ls -la"],
    ["a block behind words", "I look: ```bash\nls -la\n```\nThen.", "ls -la"],
    ["a block closed behind its last command", "```bash\ncd src\nls -la```\nThat shows it.", "cd src\nls -la"],
    ["a marker in the command", '```bash\necho \'<|tool_call|>{"tool": "read"}\'\n```', 'echo \'<|tool_call|>{"tool": "read"}\''],
    ["an example in another language before it", "Like\n```python\nprint(1)\n```\nso\n```bash\nls\n```", "ls"],
  ])("%s", (_, text, expected) => {
    expect(parse(text).call).toEqual({ name: "bash", args: { command: expected } });
  });

  test("cut off at the length it is not run, and the model is told why", () => {
    expect(parse("```bash\nrm -rf build && cp -r", true).call).toEqual({
      name: "bash",
      args: {},
      error: expect.stringMatching(/cut off/) as string,
    });
    expect(command("```bash\nls\n```\nand then I will", true), "a complete one is run").toBe("ls");
  });

  test("with nothing in it is an error the model can act on", () => {
    expect(parse("```bash\n\n```").call?.error).toMatch(/empty/);
  });

  test("is only a block where there is no bash", () => {
    expect(parseTextReply("```bash\nls\n```", { tools: ["read"], cutOff: false }).call).toBeUndefined();
  });
});

describe("the end", () => {
  test.each([
    ["no block", "The task is finished: all tests pass."],
    ["the word", "DONE"],
    ["the word in a block", "```bash\nDONE\n```"],
    ["the word in a bare block", "All good.\n```\nDONE\n```"],
    ["a block in another language", "```python\nprint(1)\n```"],
    ["data in a fence", '```json\n{"name": "my-app", "version": "1.0.0"}\n```'],
    ["broken data in a fence", '```json\n{"name": "my-app", "version":\n```'],
    ["inline code", "Run `ls` and ```ls``` yourself."],
    ["a marker that is spoken of", "Write `<|tool_call|>` and then {…}. Or <|tool_call|> alone."],
    ["a quoted call", 'They print "<|tool_call|>{}" then.'],
    ["nothing", ""],
  ])("is %s", (_, text) => {
    expect(parse(text)).toEqual({ text, several: false, claimsDone: false });
  });

  test("claimed beside a command is not the end", () => {
    expect(parse("```bash\nls\n```\n\nDONE")).toMatchObject({ call: { args: { command: "ls" } }, claimsDone: true });
  });
});

describe("JSON", () => {
  test.each([
    ["tool and args", '```json\n{"tool": "read", "args": {"path": "a"}}\n```'],
    ["name and arguments", '```json\n{"name": "read", "arguments": {"path": "a"}}\n```'],
    ["arguments in a string", '```json\n{"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}\n```'],
    ["a function inside", '```json\n{"type": "function", "function": {"name": "read", "parameters": {"path": "a"}}}\n```'],
    ["arguments beside the name", '```json\n{"tool": "read", "path": "a"}\n```'],
    ["a list", '```json\n[{"tool": "read", "args": {"path": "a"}}, {"tool": "bash"}]\n```'],
    ["a bare fence", '```\n{"tool": "read", "args": {"path": "a"}}\n```'],
    ["a marker", '<|tool_call|>{"tool": "read", "args": {"path": "a"}}<|/tool_call|>'],
    ["a marker without an end", 'Reading. <|tool_call|> {"tool": "read", "args": {"path": "a"}}'],
    ["a marker with spaces and lines in it", '< |tool_call\n| >\n{"tool": "read", "args": {"path": "a"}}\n<|tool_result|>made up'],
    ["a marker around a fence", '<|tool_call|>\n```json\n{"tool": "read", "args": {"path": "a"}}\n```\n<|/tool_call|>'],
  ])("with %s is a call", (_, text) => {
    expect(parse(text)).toMatchObject({ call: { name: "read", args: { path: "a" } }, several: false });
  });

  test.each([
    ["broken", '```json\n{"tool": "read", "args": {"path": \n```', /cannot be read/],
    ["arguments that are a list", '```json\n{"tool": "read", "args": ["a"]}\n```', /must be an object/],
    ["broken behind a marker", '<|tool_call|>{"tool": "read", "args": {"path" "a"}}', /cannot be read/],
    ["no tool behind a marker", '<|tool_call|>{"args": {}}', /names no tool/],
  ])("that is %s is an error the model can act on", (_, text, error) => {
    expect(parse(text).call?.error).toMatch(error);
  });

  test("cut off behind a marker says so", () => {
    expect(parse('<|tool_call|>{"tool": "read", "args": {"pa', true).call?.error).toMatch(/cut off/);
  });

  test("that calls an unknown tool is still a call: the registry knows what to say", () => {
    expect(parse('```json\n{"tool": "fly", "args": {}}\n```').call).toEqual({ name: "fly", args: {} });
  });
});

describe("what follows the first call", () => {
  test("a result the model makes up is cut, with all that rests on it", () => {
    const text = "Look.\n```bash\nls\n```\n<output>\na.txt\n</output>\n```bash\nrm a.txt\n```\nDONE";
    expect(parse(text)).toEqual({
      text: "Look.\n```bash\nls\n```\n",
      call: { name: "bash", args: { command: "ls" } },
      several: false,
      claimsDone: false,
    });
    expect(parse('<|tool_call|>{"tool": "bash", "command": "ls"}<|tool_result|>a.txt').text).toBe(
      '<|tool_call|>{"tool": "bash", "command": "ls"}',
    );
  });

  test("further calls are left, and counted", () => {
    const text = '```bash\nls\n```\nthen\n<|tool_call|>{"tool": "read", "args": {}}';
    expect(parse(text)).toMatchObject({ text, call: { args: { command: "ls" } }, several: true });
    expect(parse("```bash\nls\n```\n```python\nx\n```").several).toBe(false);
  });
});

const pieces = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("```", "```bash\n", "```json\n", "\n```\n", "````", "<|tool_call|>", "<|/tool_call|>", "<|tool_result|>", "<output>"),
  fc.constantFrom("{", "}", '{"tool": "bash", ', '"args": {}', "[", '"', "\\", "<<EOF\n", "\nEOF\n", "DONE", "\n", "\r\n", "  ", "$ls"),
);

test("any text gives an answer whose text is a beginning of it", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 25 }), fc.boolean(), (parts, cutOff) => {
      const text = parts.join("");
      const reply = parse(text, cutOff);
      expect(text.startsWith(reply.text)).toBe(true);
      if (reply.call !== undefined) expect(typeof reply.call.name).toBe("string");
      const again = parse(reply.text, cutOff).call;
      const facts = (call: typeof again) => call && [call.name, call.args, call.error !== undefined];
      expect(facts(again), "reading it again finds the same call").toEqual(facts(reply.call));
    }),
    { numRuns: 1_000, examples: [[["```bash\n", "<<EOF\n", "\n```\n", "<|tool_result|>", "\nEOF\n"], false]] },
  );
});

const words = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
const commands = words.filter((value) => value.trim() !== "" && value.trim() !== "DONE");

test("a command written in any dialect is read back as it was", () => {
  fc.assert(
    fc.property(commands, fc.constantFrom("bash", "json", "marker"), (value, dialect) => {
      const written = `Next.\n${renderCall("bash", { command: value }, dialect)}`;
      expect(parse(written)).toEqual({
        text: written,
        call: { name: "bash", args: { command: value } },
        several: false,
        claimsDone: false,
      });
    }),
    { numRuns: 1_000 },
  );
});

test("any call written as JSON is read back as it was", () => {
  const args = fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<JsonObject[string]>, { noNullPrototype: true });
  fc.assert(
    fc.property(
      words.filter((name) => name !== ""),
      args,
      fc.constantFrom("json", "marker"),
      (name, value, dialect) => {
        const expected = JSON.parse(JSON.stringify(value)) as JsonObject; // -0 and the like
        expect(parse(renderCall(name, value, dialect)).call).toEqual({ name, args: expected });
      },
    ),
    { numRuns: 500 },
  );
});
