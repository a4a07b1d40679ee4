import type { Compose, Service } from "../../../harness/sandbox/compose.ts";

/** What a compose file says of its only container, where it says nothing that one plain container could not do. */
export interface SingleContainer {
  readonly folder?: string;
  readonly image?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir?: string;
  readonly cpus?: number;
  readonly memoryMb?: number;
  readonly network: boolean;
}

/** `mainIdles`: the runner gives the main service an idle command where the file does not. Undefined for a file that needs its services. */
export function collapse({ services, networks }: Compose, mainIdles: boolean): SingleContainer | undefined {
  const [main, ...others] = services;
  if (!main || others.length > 0 || networks.some(({ internal }) => internal)) return undefined;
  const plain =
    isIdle(main, mainIdles) &&
    main.entrypoint === undefined &&
    main.user === undefined &&
    main.hostname === undefined &&
    main.healthcheck === undefined &&
    main.volumes.length + (main.mounts?.length ?? 0) + main.tmpfs.length + main.capAdd.length + main.capDrop.length === 0 &&
    !main.readOnly &&
    main.pids === undefined &&
    main.shmMb === undefined &&
    (main.extraHosts ?? main.dns ?? main.ulimits ?? main.groups) === undefined &&
    (main.build === undefined ||
      (main.build.dockerfile === undefined && main.build.target === undefined && Object.keys(main.build.args).length === 0));
  if (!plain) return undefined;
  return {
    ...(main.build && { folder: main.build.context }),
    ...(main.image !== undefined && { image: main.image }),
    env: main.environment,
    ...(main.workingDir !== undefined && { workdir: main.workingDir }),
    ...(main.cpus !== undefined && { cpus: main.cpus }),
    ...(main.memoryMb !== undefined && { memoryMb: main.memoryMb }),
    network: main.networks.length > 0,
  };
}

/** Whether the command only keeps the container there. */
function isIdle({ command, tty }: Service, mainIdles: boolean): boolean {
  if (!command) return mainIdles;
  const text = command.join(" ").trim();
  if (tty && /^(\/bin\/|\/usr\/bin\/)?(ba)?sh$/.test(text)) return true;
  return /^((\/bin\/|\/usr\/bin\/)?(ba)?sh -l?c )?(exec )?(sleep (infinity|inf|\d+[smhd]?)|tail -f \/dev\/null)$/.test(text);
}
