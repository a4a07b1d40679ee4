/**
 * What differs between two runs of a program that mean the same: clocks, process ids, ports, temporary paths, names of logs, seeds. Numbers that
 * say something stay: how many tests failed, what was expected and what came. Looked at in the output of pytest, unittest, jest, vitest, mocha, node
 * --test, go test, cargo test, maven and gradle, rspec, phpunit and ctest. Each pattern is linear.
 */
const noise: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b0x[0-9a-f]+\b/gi, "0x"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "uuid"],
  // 2026-11-24T07:42:30.088Z, and as the name of a log 2026-11-24T07_42_30_088Z-debug-0.log
  [/\b\d{4}-\d{2}-\d{2}[T _]\d{2}[:_-]\d{2}[:_-]\d{2}(?:[.,_]\d+)?(?:Z|[+-]\d{2}:?\d{2})?(?:-debug-\d+)?/g, "time"],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?:\s[AP]M)?\b/g, "time"],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*(?: \d{1,2})?,? /g,
    "date ",
  ],
  [/\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|m(?:in)?|minutes?)\b(?:\s?\d+(?:\.\d+)?\s?s\b)?/g, "duration"],
  [/\bduration_ms:? \d+(?:\.\d+)?/g, "duration"],
  [/\bTime: +\d+:\d+(?:\.\d+)?/g, "Time: duration"],
  [/\bMemory: +\d+(?:\.\d+)? ?[KMG]i?B\b/g, "Memory: #"],
  [/\b\d+(?:\.\d+)? ?[kKMG]i?B\/s\b/g, "rate"],
  // a process: (node:123), pid 123, ==123==ERROR, [pid 123], thread 'main' (123), goroutine 12 [running]
  [/\((node|bun|deno):\d+\)/g, "($1)"],
  [/\b(pid|process|ppid|tid|goroutine|thread id)([ =:#]{1,3})\d+\b/gi, "$1$2#"],
  [/==\d+==/g, "=="],
  [/\b(thread '[^'\n]{0,200}') \(\d+\)/g, "$1"],
  // a port that the system chose: behind an address of this machine, or called one
  [/\b(localhost|127\.0\.0\.1|0\.0\.0\.0|\[?::1?\]?):\d{2,5}\b/g, "$1:#"],
  [/\bport([ =:#]{1,3})\d{2,5}\b/gi, "port$1#"],
  [/\/(?:private\/)?(tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s'"`:;,()[\]{}<>|]+/g, "/$1/#"],
  [/\btmp[A-Za-z0-9_]{6,10}\b/g, "tmp#"],
  [/\bpytest-of-[\w.-]+\/pytest-\d+/g, "pytest-of-#"],
  // cargo and bundlers put a hash behind a name
  [/-[0-9a-f]{16}\b/g, "-#"],
  [/\b(randomly-seed|random seed|seed)([ =:]{1,3})\d+\b/gi, "$1$2#"],
  [/\[gw\d+\]/g, "[gw]"],
  [/\(cached\)/g, ""],
  [/\b(attempt|session|run|build|job|retry) ?#\d+\b/gi, "$1 #"],
];

/** The text of an answer without them. */
export const withoutNoise = (text: string): string =>
  noise.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text).replace(/[ \t]+/g, " ");

/** Where a command line puts its output or its server: another file or port does not make it another command. */
const places: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(&>>?|[12]?>>?|\btee(?: -a)?) *(?!&|\/dev\/null)[^\s;&|<>()]+/g, "$1 #"],
  [/(--(?:junitxml|basetemp|outputFile|output-file|log-file|logfile|report-log|reporter-options))([= ])[^\s;&|]+/g, "$1$2#"],
  [/(--port|-p|\bPORT)([= ])\d{2,5}\b/g, "$1$2#"],
];

/** A command line without them, and without what differs by the clock. */
export const withoutPlaces = (command: string): string =>
  places.reduce((left, [pattern, instead]) => left.replace(pattern, instead), command);
