import type { ModelRow, Price } from "../../contract/model-row.ts";
import { anthropicRows } from "./anthropic-rows.ts";
import { findRow } from "./dated-name.ts";

/**
 * Claude on Amazon Bedrock: `anthropic.claude-opus-4-5-20251101-v1:0`, with or without the geography that serves it (`us.`, `eu.`, `global.`, …), also as
 * the end of an ARN. Limits and effort are the model's own. Prices: `global.` costs what Anthropic asks, a geography a tenth more; in one region alone it
 * depends on the region, so it is not known. Sources: platform.claude.com/docs/en/build-with-claude/claude-on-amazon-bedrock;
 * npm @earendil-works/pi-ai 1.5.2 `dist/providers/data/amazon-bedrock.json`.
 */
export function bedrockRow(name: string): ModelRow | undefined {
  const found = /(?:^|\/)(?:(\w+)\.)?anthropic\.(claude-[\w-]+?)(?:-v\d+)?(?::\d+(?::\d+k)?)?$/.exec(name);
  if (found === null) return undefined;
  const [, where, model = ""] = found;
  const { price, priceOf, ...row } = ownRow(model) ?? {};
  if (row.wire === undefined) return undefined;
  const asked = price === undefined || where === undefined || model.startsWith("claude-opus-4-1") ? undefined : price;
  return {
    ...row,
    ...(asked === undefined ? {} : { price: where === "global" ? asked : dearer(asked), ...(priceOf === undefined ? {} : { priceOf }) }),
  };
}

/** Claude on Vertex AI: `claude-opus-4-5@20251101` or `claude-opus-4-8@default`. The price depends on the location, so it is not known. Source: as above, for Vertex. */
export function vertexRow(name: string): ModelRow | undefined {
  const found = ownRow(name.replace(/@default$/, ""));
  if (found === undefined) return undefined;
  const { price: _price, priceOf: _priceOf, ...row } = found;
  return row;
}

/** Older names on clouds are written the other way round and with a version behind (`claude-3-5-sonnet-v2@20241022`). */
const ownRow = (name: string): ModelRow | undefined => findRow(anthropicRows, name.replace(/-v\d+(?=@|$)/, ""));

const dearer = ({ input, output, cached, cacheWrite, long }: Price): Price => ({
  input: tenthMore(input),
  output: tenthMore(output),
  cached: tenthMore(cached),
  ...(cacheWrite === undefined ? {} : { cacheWrite: tenthMore(cacheWrite) }),
  ...(long === undefined ? {} : { long }),
});
const tenthMore = (usd: number): number => Number((usd * 1.1).toPrecision(12));
