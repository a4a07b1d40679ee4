import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "../../../harness/secrets/redact-text.ts";

const redact = createRedactor({ secrets: ["hunter2-hunter2", "p.q.r.s.t.u.v"] });
const hidden = (text: string): string => redact(text).replace(/█+/g, "█");

describe("the redactor", () => {
  it.each([
    ["a known value", "pw=hunter2-hunter2;", "pw=█;"],
    ["an Anthropic key", "x sk-ant-api03-AbCdEfGhIjKlMnOp_qrst y", "x █ y"],
    ["an OpenAI key", "KEY=sk-proj-abcdefghijklmnop1234", "KEY=█"],
    ["a GitHub token in a URL", "https://ghp_abcdefghijklmnopqrstuvwxyz0123456789@github.com/a/b", "https://█@github.com/a/b"],
    ["a fine-grained GitHub token", "github_pat_11AAAAAAA0abcdefghijkl_mnopqrst", "█"],
    ["an AWS key id", "aws AKIAIOSFODNN7EXAMPLE.", "aws █."],
    ["a Google key", "AIzaSyA-1234567890abcdefghijklmnopqrstu", "█"],
    ["a Slack token", "xoxb-123456789012-abcdefABCDEF", "█"],
    ["a JSON Web Token", "t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMTIz", "t=█"],
    ["a password in a URL", "at https://me:s3cr@t@host.example/v1 now", "at https://me:█@host.example/v1 now"],
    ["a short password, quoted", "fetch('postgres://me:pw@db:5432/x')", "fetch('postgres://me:█@db:5432/x')"],
    ["a password without a user", "redis://:pw@cache", "redis://:█@cache"],
    ["a token in place of a user", "https://0123456789abcdef:x-oauth-basic@host/", "https://█:█@host/"],
    ["an AWS secret key", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = █"],
    ["a Stripe key", "sk_live_abcdefghijklmnop1234", "█"],
    ["a Hugging Face token", "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH", "█"],
    ["a Groq key", "gsk_abcdefghijklmnopqrstuvwxyz0123456789", "█"],
    ["a PyPI token", "password = pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAw", "password = █"],
    ["a SendGrid key", `key: SG.${"a1B2".repeat(5)}_-.${"Zz9-".repeat(10)}abc`, "key: █"],
    ["a Twilio key and account", `SK${"0a1b".repeat(8)} AC${"9f8e".repeat(8)}`, "█ █"],
    ["a Telegram bot's token", `token=123456789:AA${"hT_-x".repeat(6)}abc;`, "token=█;"],
    [
      "a Telegram bot's token in an address",
      `https://api.telegram.org/bot123456789:AA${"hT_-x".repeat(6)}abc/getMe`,
      "https://api.telegram.org/bot█/getMe",
    ],
    ["a password in a connection string", "Server=db;Database=x;Password=hunter2!x;Pooling=1", "Server=db;Database=x;Password=█;Pooling=1"],
    ["a storage key", '"AccountName=a;AccountKey=abc/def+0123==;EndpointSuffix=x"', '"AccountName=a;AccountKey=█;EndpointSuffix=x"'],
    ["a key behind an escaped line break", "{a: 'x\\nsk-ant-api03-AbCdEfGhIjKlMnOp'}", "{a: 'x\\n█'}"],
    ["a bearer header", "curl -H 'Authorization: Bearer abc.def-ghi123'", "curl -H 'Authorization: Bearer █'"],
    ["a bearer header in JSON", '{"authorization": "Bearer abcdefghij"}', '{"authorization": "Bearer █"}'],
  ])("takes out %s", (_, text, expected) => {
    expect(hidden(text)).toBe(expected);
  });

  it("takes out the body of a private key and keeps its lines", () => {
    const key = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\nAbCd\n-----END RSA PRIVATE KEY-----\nb";
    expect(redact(key)).toBe("a\n-----BEGIN RSA PRIVATE KEY-----\n████████\n████\n-----END RSA PRIVATE KEY-----\nb");
  });

  it("takes out a private key whose end was cut off, and nothing that cannot be part of it", () => {
    expect(hidden("-----BEGIN PRIVATE KEY-----\nMIIEow\n(cut here) the rest")).toBe("-----BEGIN PRIVATE KEY-----\n█\n(cut here) the rest");
  });

  it.each([
    "task-oriented-programming-language",
    "risk-assessment-of-the-project",
    "C:\\task-oriented-programming-language",
    "sk-short",
    "AKIA",
    "BEGIN PUBLIC KEY",
    "eyJ.a.b",
    "ssh://git@host/a.git",
    "http://host:8080/@me",
    "see http://host:80, me@host.example",
    "const password = ask(); password=ask(); setPassword(password=value)",
    "Password=hunter2",
    "pypi-classifiers-of-a-project-with-a-very-long-name-that-goes-on-and-on",
    "SG.22.43 and SG.model.of.something",
    `SKU-4711 SK${"0a1b".repeat(9)} sk${"0a1b".repeat(8)} MAC${"0a1b".repeat(8)} AC${"0A1B".repeat(8)}`,
    "at 1767225600:All-is-well-here, 12345678:Another",
    `robot123456789:AA${"hT_-x".repeat(9)}`,
  ])("leaves ordinary text alone: %s", (text) => expect(redact(text)).toBe(text));

  it("says of what kind each is that it takes out, once, and nothing of a text that is masked already", () => {
    const kinds: string[] = [];
    const counted = createRedactor({ secrets: ["hunter2-hunter2"], onFound: (kind) => kinds.push(kind) });
    const text = "hunter2-hunter2 AKIAIOSFODNN7EXAMPLE redis://:pw@cache\n-----BEGIN PRIVATE KEY-----\nMIIEow==\n-----END PRIVATE KEY-----";
    const masked = counted(text);
    expect(kinds).toEqual(["known value", "AWS key", "credential in a URL", "private key"]);
    expect(counted(masked)).toBe(masked);
    expect(kinds).toHaveLength(4);
  });

  it("does not take short values out, which would blacken ordinary text", () => {
    expect(createRedactor({ secrets: ["test", ""] })("run the test")).toBe("run the test");
  });

  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "hunter2-hunter2",
      "p.q.r.s.t.u.v",
      "sk-ant-abcdefghijklmnopqrst",
      "AKIAIOSFODNN7EXAMPLE",
      "-----BEGIN PRIVATE KEY-----",
      "-----END PRIVATE KEY-----",
      "Authorization: Bearer ",
      "eyJabcdefgh",
      ".",
      "-",
      "\n",
      "█",
      "ghp_abcdefghijklmnopqrstuvwxyz",
      "://",
      "http://me:pw",
      "@",
      "'",
    ),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  it("keeps the length, changes characters only to the mask, and finds nothing new in its own answer", () => {
    fc.assert(
      fc.property(text, (given) => {
        const once = redact(given);
        expect(once.length).toBe(given.length);
        expect(redact(once)).toBe(once);
        for (let i = 0; i < given.length; i++) expect(once[i] === given[i] || once[i] === "█").toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("never leaves a known value readable", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(redact(`${a}hunter2-hunter2${b}`)).not.toContain("hunter2-hunter2");
      }),
    );
  });

  it("leaves no password of any URL readable, wherever the URL stands", () => {
    const part = fc.string({ minLength: 1, maxLength: 30 });
    const before = fc.constantFrom("", "at ", '{"baseUrl":"', "fetch('", "(", "GET ");
    const after = fc.constantFrom("", " now", '"}', "')", ").", ", then");
    fc.assert(
      fc.property(part, part, before, after, (user, password, from, to) => {
        const url = new URL("https://host.example/v1?q=1");
        url.username = user;
        url.password = password;
        fc.pre(url.password !== "");
        const shown = redact(`${from}${url.href}${to}`);
        const at = shown.indexOf("://") + 3 + url.username.length + 1;
        expect(shown.slice(at, at + url.password.length)).toBe("█".repeat(url.password.length));
        expect(shown.slice(at + url.password.length)).toBe(`@host.example/v1?q=1${to}`);
      }),
      { numRuns: 500 },
    );
  });

  it("leaves URLs alone where it is told to", () => {
    const text = "postgres://me:password@db ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    expect(createRedactor({ secrets: [], urls: false })(text)).toMatch(/^postgres:\/\/me:password@db █+$/);
  });

  const mega = 1_000_000;
  it.each([
    ["sk-", "sk-aaaaaaaaaaaaaaaaaaaa "],
    ["unended tokens", "eyJaaaaaaaa-eyJaaaaaaaa."],
    ["one endless token", "eyJaaaaaaaa"],
    ["headers", "Authorization:   Authorization: Bearer"],
    ["keys that begin and never end", "-----BEGIN PRIVATE KEY-----("],
    ["a key end far away", "-----BEGIN PRIVATE KEY-----\n"],
    ["white space", " \n\t "],
    ["dashes", "-"],
    ["URLs without a host", "://"],
    ["a URL's name that never ends", "a:"],
    ["passwords", "://a:b@"],
  ])("takes linear time on hostile input: %s", (_, unit) => {
    const run = (size: number): number => {
      const input = unit.repeat(Math.ceil(size / unit.length)) + "-----END";
      const from = process.cpuUsage().user;
      redact(input);
      return process.cpuUsage().user - from;
    };
    run(mega / 8);
    const [small, large] = [run(mega / 8), run(mega)];
    // Eight times the input: eight times the time, or sixty-four were it quadratic; the constant forgives a small clock.
    expect(large).toBeLessThan(small * 32 + 200_000);
  });
});
