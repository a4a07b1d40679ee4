import { ConfigError } from "../../../errors.ts";

/**
 * Loads the SDK of a cloud, which Forge does not bring. Its name is no literal, so that Forge is built and checked without it; `Sdk` is what is used of it.
 * Throws `ConfigError` with the command that installs it.
 */
export async function loadPackage<Sdk>(name: string, model: string): Promise<Sdk> {
  try {
    return (await import(name)) as Sdk;
  } catch (error) {
    if (!(error instanceof Error) || !/cannot find (package|module)/i.test(error.message)) throw error;
    throw new ConfigError(
      `model.name: ${model} needs the package ${name}, which is not installed beside Forge; run npm install ${name}@1 (npm install --global ${name}@1 where Forge is installed globally).`,
    );
  }
}
