import type { CacheBreakpoint } from "@trunkline/core/conversation.ts";
import { type Fields, readChoice, readObject, readOptional } from "../../requests/fields.ts";

/** Where a client marks what a provider may keep in its cache, on whatever carries `cache_control`. */
export function readCacheControl(
  { cache_control: value }: Fields,
  param: string,
): { cache?: CacheBreakpoint } {
  const path = param === "" ? "cache_control" : `${param}.cache_control`;
  const mark = readOptional(value, (given) => {
    const fields = readObject(given, path);
    readChoice(fields.type, `${path}.type`, ["ephemeral"]);
    return { ttl: readOptional(fields.ttl, (ttl) => readChoice(ttl, `${path}.ttl`, ["5m", "1h"] as const)) };
  });
  return mark === undefined ? {} : { cache: mark };
}
