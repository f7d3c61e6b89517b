import { CACHE_SIMILARITY, CACHE_TTL_SECONDS, type CacheOptions } from "@trunkline/core/inference.ts";
import { invalidField, readInteger, readNumber, readObject, readOptional } from "./fields.ts";

export const CACHE_HEADER = "x-trunkline-cache";

/** What a body's `cache` asks for: `{ttl, similarity?}`, or `false` for an answer that is made anew. */
export function readCacheOptions(value: unknown, param = "cache"): CacheOptions | false {
  if (value === false) return false;
  const { ttl, similarity } = readObject(value, param);
  return {
    ttlSeconds: readInteger(ttl, `${param}.ttl`, CACHE_TTL_SECONDS.min, CACHE_TTL_SECONDS.max),
    similarity: readOptional(similarity, (given) => readSimilarity(given, `${param}.similarity`)),
  };
}

function readSimilarity(value: unknown, param: string): number | undefined {
  if (value === false) return undefined;
  if (value === true) return CACHE_SIMILARITY.default;
  return readNumber(value, param, CACHE_SIMILARITY.min, CACHE_SIMILARITY.max);
}

/** The same out of a header, for clients whose body has no place for it: `ttl=300, similarity=0.95`, or `off`. */
export function readCacheHeader(header: string): CacheOptions | false {
  if (/^\s*(off|false|no-cache)\s*$/i.test(header)) return false;
  const fields: Record<string, unknown> = {};
  for (const piece of header.split(/[,;]/)) {
    const [name, value] = piece.split("=", 2).map((side) => side.trim());
    if ((name !== "ttl" && name !== "similarity") || value === undefined || fields[name] !== undefined) {
      throw invalidField(
        CACHE_HEADER,
        `\`${CACHE_HEADER}\` must be \`off\` or like \`ttl=300\` or \`ttl=300, similarity=0.95\`.`,
      );
    }
    fields[name] = value === "true" ? true : /^[0-9.]+$/.test(value) ? Number(value) : value;
  }
  return readCacheOptions(fields, CACHE_HEADER);
}
