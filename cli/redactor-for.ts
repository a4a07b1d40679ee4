import { createRedactor } from "../harness/events/redact.ts";
import { urlCredentials } from "../harness/events/url-credentials.ts";

/**
 * Takes the values of every key of the environment out of what is recorded or shown, whatever looks like a secret, and passwords in URLs. Of a trial
 * only those in the address of its model (`trialAt`): the task's own URLs are what its agent has to work with.
 */
export function redactorFor(env: NodeJS.ProcessEnv, o: { trialAt?: string } = {}): (text: string) => string {
  const keys = Object.entries(env).flatMap(([name, value]) => {
    if (!value) return [];
    return /(_KEY|_TOKEN|_SECRET|PASSWORD)$/.test(name) ? [value] : credentialsOf(value);
  });
  const { trialAt } = o;
  if (trialAt === undefined) return createRedactor({ secrets: keys });
  const own = createRedactor({ secrets: [...keys, ...credentialsOf(trialAt)], urls: false });
  const masked = createRedactor({ secrets: keys })(trialAt);
  // the address as a whole too: a password may be too short to be looked for alone
  return masked === trialAt ? own : (text) => own(text.replaceAll(trialAt, masked));
}

const credentialsOf = (url: string): string[] => urlCredentials(url).map(({ from, to }) => url.slice(from, to));
