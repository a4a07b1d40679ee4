import { text } from "../text.ts";

/** How an entry of a log is written. */
export interface LogFormat {
  readonly example: string;
  /** The fields in a sentence. */
  readonly fields: string;
  /** Python: a regular expression with the groups time, client, path, status, ms. */
  readonly pattern: string;
  /** For Python's `strptime`. */
  readonly time: string;
  /** Python: a statement that returns the line; `at` (a datetime with a zone), `method`, `client`, `path`, `status`, `ms` are there. */
  readonly render: string;
  /** The same for an example, in UTC and January 2026. */
  line(entry: { day: string; clock: string; client: string; path: string; status: number; ms: number }): string;
}

const iso = String.raw`(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d)`;
const number = String.raw`(?P<status>\d{3})`;

const accessLine: LogFormat = {
  example: '10.0.0.9 - - [05/Jan/2026:10:00:07 +0000] "GET /cart HTTP/1.1" 200 512 37',
  fields: "client, two dashes, time, request with method, path and protocol, status, bytes, milliseconds",
  pattern: String.raw`(?P<client>\S+) - - \[(?P<time>[^\]]+)\] "[A-Z]+ (?P<path>\S+) HTTP/1\.1" ${number} \d+ (?P<ms>\d+)`,
  time: "%d/%b/%Y:%H:%M:%S %z",
  render: `return f'{client} - - [{at:%d/%b/%Y:%H:%M:%S %z}] "{method} {path} HTTP/1.1" {status} {rng.randint(0, 9)}12 {ms}'`,
  line: ({ day, clock, client, path, status, ms }) =>
    `${client} - - [${day}/Jan/2026:${clock} +0000] "GET ${path} HTTP/1.1" ${status} 512 ${ms}`,
};

const pairs: LogFormat = {
  example: "time=2026-01-05T10:00:07+00:00 client=10.0.0.9 method=GET path=/cart status=200 ms=37",
  fields: "time, client, method, path, status, milliseconds",
  pattern: String.raw`time=${iso} client=(?P<client>\S+) method=[A-Z]+ path=(?P<path>\S+) status=${number} ms=(?P<ms>\d+)`,
  time: "%Y-%m-%dT%H:%M:%S%z",
  render: "return f'time={at.isoformat()} client={client} method={method} path={path} status={status} ms={ms}'",
  line: ({ day, clock, client, path, status, ms }) =>
    `time=2026-01-${day}T${clock}+00:00 client=${client} method=GET path=${path} status=${status} ms=${ms}`,
};

const system: LogFormat = {
  example: "<134>1 2026-01-05T10:00:07+00:00 web1 front 4711 - - [10.0.0.9] GET /cart 200 37ms",
  fields: "priority and version, time, machine, program, process, two dashes, client, method, path, status, milliseconds",
  pattern: String.raw`<\d+>1 ${iso} \S+ \S+ \d+ - - \[(?P<client>[^\]]+)\] [A-Z]+ (?P<path>\S+) ${number} (?P<ms>\d+)ms`,
  time: "%Y-%m-%dT%H:%M:%S%z",
  render: "return f'<134>1 {at.isoformat()} web{rng.randint(1, 2)} front 4711 - - [{client}] {method} {path} {status} {ms}ms'",
  line: ({ day, clock, client, path, status, ms }) =>
    `<134>1 2026-01-${day}T${clock}+00:00 web1 front 4711 - - [${client}] GET ${path} ${status} ${ms}ms`,
};

export const logFormats: readonly LogFormat[] = [accessLine, pairs, system];

export interface LogQuestion {
  /** Also the name of a Python function. */
  readonly name: string;
  readonly asked: string;
  /** Python: the body of a function that answers the lines for `entries`, a list of (UTC seconds, client, path, status, ms). */
  readonly body: string;
  /** A piece of the body, and what a careless reader would write there. */
  readonly mistake: readonly [string, string];
  /** Its answer depends on the time. */
  readonly timed: boolean;
  /** Its answer depends on the path. */
  readonly paths: boolean;
}

/** The questions; `limit` is how many lines a ranking has, `gap` the minutes between two sessions. */
export const logQuestions = (limit: number, gap: number): readonly LogQuestion[] => [
  {
    name: "clients",
    asked: `the ${limit} clients with the most requests, one \`CLIENT COUNT\` a line, the most first; equal counts are sorted by client.`,
    body: text`
      counts = Counter(client for _, client, _, _, _ in entries)
      return [f"{client} {n}" for client, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:${limit}]]
    `,
    mistake: ["sorted(counts.items(), key=lambda item: (-item[1], item[0]))", "sorted(counts.items(), reverse=True)"],
    timed: false,
    paths: false,
  },
  {
    name: "slowest",
    asked: `the ${limit} requests that took the most milliseconds, one \`MILLISECONDS PATH\` a line, the slowest first; equally slow ones are sorted by path.`,
    body: text`
      slow = sorted([(ms, path) for _, _, path, _, ms in entries], key=lambda row: (-row[0], row[1]))
      return [f"{ms} {path}" for ms, path in slow[:${limit}]]
    `,
    mistake: ["key=lambda row: (-row[0], row[1])", "key=lambda row: str(row[0]), reverse=True"],
    timed: false,
    paths: true,
  },
  {
    name: "failures",
    asked:
      "for each path with at least one request of status 400 or above, one `PATH FAILED/ALL` a line: how many of its requests had such a status, and how many there were; sorted by path.",
    body: text`
      failed = Counter(path for _, _, path, status, _ in entries if status >= 400)
      every = Counter(path for _, _, path, _, _ in entries)
      return [f"{path} {failed[path]}/{every[path]}" for path in sorted(failed)]
    `,
    mistake: ["status >= 400", "status > 400"],
    timed: false,
    paths: true,
  },
  {
    name: "errors",
    asked:
      "for each hour (UTC) with at least one request of status 500 or above, one line such as `2026-01-05T10 3`: the hour, and how many of them there were; sorted by hour.",
    body: text`
      hours = Counter(datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%dT%H") for time, _, _, status, _ in entries if status >= 500)
      return [f"{hour} {n}" for hour, n in sorted(hours.items())]
    `,
    mistake: ["status >= 500", "status > 500"],
    timed: true,
    paths: false,
  },
  {
    name: "sessions",
    asked: `for each client, one \`CLIENT SESSIONS\` a line, sorted by client. A client's first request begins a session, and so does each one that comes more than ${gap} minutes after the request of this client before it. Go by the times: entries need not stand in their order.`,
    body: text`
      times = defaultdict(list)
      for time, client, _, _, _ in sorted(entries):
          times[client].append(time)
      return [f"{client} {1 + sum(b - a > ${gap * 60} for a, b in zip(of, of[1:]))}" for client, of in sorted(times.items())]
    `,
    mistake: ["b - a >", "b - of[0] >"],
    timed: true,
    paths: false,
  },
];
