import { expect, it } from "vitest";
import { mergeAccounts } from "../../../../../harness/sandbox/docker/system/merge-accounts.ts";

const accounts = new Set(["root", "nobody", "www-data"]);
const merged = (list: string, before: string, after: string): string => mergeAccounts({ list, before, after, accounts });

it("keeps the image's accounts as they were, whatever was made of them, and takes new ones behind them", () => {
  const before = "root:x:0:0::/root:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n";
  const after = "alice:x:1000:1000::/home/alice:/bin/bash\nnobody:x:0:0::/:/bin/bash\n+::::::\nnobody:x:0:0::/:/bin/bash";
  expect(merged("passwd", before, after)).toBe(`${before}alice:x:1000:1000::/home/alice:/bin/bash\n`);
});

it("takes no account that has the number of one of the image's, however it is written", () => {
  const before = "root:x:0:0::/root:/bin/bash\n";
  expect(merged("passwd", before, `${before}twin:x:0:0::/:/bin/sh\nother:x:00:5::/:/bin/sh\n`)).toBe(before);
  expect(merged("group", "root:x:0:\n", "root:x:0:\nwheel:x:0:nobody\ndevs:x:1000:nobody\n")).toBe("root:x:0:\ndevs:x:1000:nobody\n");
});

it("lets new accounts join the image's groups, and none of the image's", () => {
  expect(merged("group", "www-data:x:33:\n", "www-data:x:33:alice,nobody\n")).toBe("www-data:x:33:alice\n");
  expect(merged("shadow", "root:*:1::::::\n", "root::1::::::\nalice:$6$x:1::::::\n")).toBe("root:*:1::::::\nalice:$6$x:1::::::\n");
});
