import { ConfigError } from "../../../harness/errors.ts";
import type { Service } from "../../../harness/sandbox/compose.ts";
import { placeOf, type PlacedData } from "../read/check-data.ts";
import { shownValue } from "../read/shown-value.ts";

/** Services so that each comes after those it depends on, else as the file has them. Throws `ConfigError` for a service that is not there, and for a circle. */
export function orderServices(services: readonly Service[], placed: PlacedData): Service[] {
  const byName = new Map(services.map((service) => [service.name, service]));
  const ordered: Service[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (service: Service): void => {
    if (state.get(service.name) === "done") return;
    const place = placeOf(placed, ["services", service.name, "depends_on"]);
    if (state.get(service.name) === "open") throw new ConfigError(`${place}: these services wait for each other in a circle. Break it.`);
    state.set(service.name, "open");
    for (const { service: name } of service.dependsOn) {
      const other = byName.get(name);
      if (!other) throw new ConfigError(`${place}: there is no service ${shownValue(name)}. Name one of this file.`);
      visit(other);
    }
    state.set(service.name, "done");
    ordered.push(service);
  };
  for (const service of services) visit(service);
  return ordered;
}
