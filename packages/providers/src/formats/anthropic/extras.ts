import type { Extras } from "@trunkline/core/inference.ts";
import type { JsonObject } from "../../http/json-frames.ts";
import { isObject } from "../../http/json-object.ts";

/** Features in trial that change neither the price of a token nor how many there may be. */
const ALLOWED_BETAS: ReadonlySet<string> = new Set([
  "extended-cache-ttl-2025-04-11",
  "fine-grained-tool-streaming-2025-05-14",
  "interleaved-thinking-2025-05-14",
  "pdfs-2024-09-25",
  "prompt-caching-2024-07-31",
  "structured-outputs-2025-11-13",
  "token-efficient-tools-2025-02-19",
]);

/** What of a client's own fields goes to a provider of this very format. Whatever could cost more than was quoted is not among it. */
const EXTRA_FIELD_CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  metadata: (value) => isObject(value) && Object.entries(value).every(isUserId),
  service_tier: (value) => value === "auto" || value === "standard_only",
  cache_control: (value) => isObject(value) && value.type === "ephemeral" && isTtl(value.ttl),
};

export interface PassthroughExtras {
  readonly fields: JsonObject;
  readonly betas: readonly string[];
}

/** The fields that are passed on; the others are named as dropped. */
export function selectExtras(extras: Extras | undefined, drop: (field: string) => void): PassthroughExtras {
  const fields: Record<string, unknown> = {};
  const betas: string[] = [];
  for (const [name, value] of Object.entries(extras?.fields ?? {})) {
    if (extras?.wire !== "anthropic") drop(name);
    else if (name === "anthropic-beta" || name === "anthropic_beta") {
      for (const beta of betasIn(value)) {
        if (ALLOWED_BETAS.has(beta)) betas.push(beta);
        else drop(`anthropic-beta:${beta}`);
      }
    } else if (Object.hasOwn(EXTRA_FIELD_CHECKS, name) && EXTRA_FIELD_CHECKS[name]?.(value) === true)
      fields[name] = value;
    else drop(name);
  }
  return { fields, betas };
}

function betasIn(value: unknown): string[] {
  const words = Array.isArray(value) ? value : [value];
  return words
    .flatMap((word) => (typeof word === "string" ? word.split(",") : []))
    .map((word) => word.trim())
    .filter((word) => /^[a-z0-9-]{1,64}$/.test(word));
}

function isUserId([key, value]: [string, unknown]): boolean {
  return key === "user_id" && (value === null || (typeof value === "string" && value.length <= 512));
}

function isTtl(ttl: unknown): boolean {
  return ttl === undefined || ttl === null || ttl === "5m" || ttl === "1h";
}
