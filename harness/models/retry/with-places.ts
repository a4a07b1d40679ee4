import { ModelError } from "../../contract/model-error.ts";
import type { Model, ModelRequest } from "../../contract/ports.ts";
import type { ResolvedConfig, ResolvedModel } from "../../contract/resolved-config.ts";
import { settingOf } from "./refused-parameter.ts";

/** The settings of a model with the places that set them. */
export type PlacedModel = ResolvedModel & { readonly places?: ResolvedConfig["places"] | undefined };

/** The model, whose refusals of a value that the configuration sets end with its place. Of one that a middleware chose, the configuration has none. */
export function withPlaces(model: Model, settings: PlacedModel): Model {
  return {
    identity: model.identity,
    async call(request, o) {
      try {
        return await model.call(request, o);
      } catch (error) {
        throw error instanceof ModelError ? placed(error, request, settings) : error;
      }
    },
  };
}

function placed(error: ModelError, { params }: ModelRequest, settings: PlacedModel): ModelError {
  const { places = {} } = settings;
  if (error.refused === undefined) return error;
  const { kind, status, retryAfterMs, activeMs, refused } = error;
  const key = [`extra.${refused}`, `extra.${refused.split(".")[0]}`, settingOf(refused)].find((one) => one !== undefined && one in places);
  const place = key === undefined || isOfMiddleware(key) ? undefined : places[key];
  if (key === undefined || place === undefined || error.message.includes(place)) return error;
  return new ModelError(kind, `${error.message} model.${key} is set at ${place}.`, { status, retryAfterMs, activeMs, refused });

  function isOfMiddleware(name: string): boolean {
    const asked: Readonly<Record<string, unknown>> = { ...params };
    return name in asked && asked[name] !== { ...settings }[name as keyof ResolvedModel];
  }
}
