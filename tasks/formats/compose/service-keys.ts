import { ConfigError } from "../../../harness/errors.ts";
import { placeOf, type PlacedData } from "../read/check-data.ts";
import { shownValue } from "../read/shown-value.ts";
import type { ServiceData } from "./compose-file.ts";

/** Keys that would let a container reach the machine, another container, or a device: by key, what they ask for. */
const refused: Readonly<Record<string, string>> = {
  privileged: "a container with the rights of the machine",
  devices: "devices of the machine",
  device_cgroup_rules: "devices of the machine",
  gpus: "GPUs",
  runtime: "another container runtime",
  pid: "the processes of the machine or of another container",
  ipc: "the shared memory of the machine or of another container",
  userns_mode: "the users of the machine",
  cgroup: "the control groups of the machine",
  cgroup_parent: "a control group of the machine",
  uts: "the host name of the machine",
  volumes_from: "the volumes of another container",
  sysctls: "settings of the kernel",
  external_links: "containers outside of the task",
  extends: "a service of another place",
  configs: "configs of a swarm",
  secrets: "secrets of a swarm",
  use_api_socket: "the Docker socket",
};

/** Keys without which another task would be measured: by key, what they ask for. */
const needed: Readonly<Record<string, string>> = {
  post_start: "commands of the runner's after the start",
  pre_stop: "commands of the runner's before the end",
  models: "a model of the runner's",
  provider: "a program of the runner's machine",
};

/** Keys without a meaning inside of one trial. */
const meaningless = new Set([
  "labels",
  "logging",
  "expose",
  "stdin_open",
  "stop_grace_period",
  "stop_signal",
  "pull_policy",
  "annotations",
  "attach",
]);

/** Capabilities beyond Docker's own that stay inside of the container. */
const harmless = new Set(
  "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP SETUID SYS_CHROOT SYS_PTRACE NET_ADMIN IPC_LOCK SYS_NICE SYS_RESOURCE".split(
    " ",
  ),
);

/**
 * Goes through the keys of a service. Throws `ConfigError` with file, line, key and cure for one that leads out of the task's containers; answers
 * a sentence for each key that is left out.
 */
export function checkServiceKeys(name: string, service: ServiceData, known: ReadonlySet<string>, placed: PlacedData): string[] {
  const refuse = (key: string, what: string, cure = `Remove ${key}, or leave the task out with --filter.`): never => {
    throw new ConfigError(
      `${placeOf(placed, ["services", name, key])}: ${shownValue(service[key])} needs ${what}, which no task gets. ${cure}`,
    );
  };
  const warnings: string[] = [];
  for (const [key, value] of Object.entries(service)) {
    if (value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0)) continue;
    if (Object.hasOwn(refused, key)) {
      if ((key === "ipc" || key === "cgroup" || key === "pid") && (value === "private" || value === "shareable")) continue;
      refuse(key, refused[key] ?? key);
    }
    if (Object.hasOwn(needed, key))
      throw new ConfigError(
        `${placeOf(placed, ["services", name, key])}: needs ${needed[key]}, which Forge does not carry out, and without which it would be another task. Put it into the command, or leave the task out with --filter.`,
      );
    if (known.has(key) || meaningless.has(key) || key.startsWith("x-")) continue;
    warnings.push(`${placeOf(placed, ["services", name, key])} is not carried out; it is left out.`);
  }
  for (const capability of service.cap_add ?? [])
    if (!harmless.has(capability.toUpperCase().replace(/^CAP_/, "")))
      refuse("cap_add", `${capability}, a right over the machine`, "Remove it, or leave the task out with --filter.");
  for (const option of service.security_opt ?? [])
    if (!/^no-new-privileges(:|=|$)/.test(option)) refuse("security_opt", `${option}, less protection of the machine`);
  const mode = service.network_mode;
  if (mode !== undefined && !["none", "bridge", "default"].includes(mode))
    refuse("network_mode", "the network of the machine or of another container");
  if (service.deploy?.resources?.reservations?.devices !== undefined) refuse("deploy", "devices of the machine");
  if (Number(service.deploy?.replicas ?? 1) > 1)
    refuse("deploy", "more than one container for a service", "Set replicas to 1, or leave the task out with --filter.");
  return warnings;
}
