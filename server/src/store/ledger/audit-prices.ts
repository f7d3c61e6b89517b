import { PRICED_BY_SEGMENTS } from "@trunkline/core/leg.ts";
import type { AuditCheck } from "./audit-check.ts";

/** A price less what was taken off it, rounded up as the service does. */
const discounted = (price: string) => `div(${price}::numeric * (10000 - r.discount) + 9999, 10000)`;

/** All that has a price of its own: requests of one leg, and legs. For a leg there is what those before it have left of the hold. */
const CHARGED = `SELECT id, NULL::int AS leg, cost, held::numeric AS held, images, price_version, discount, input_tokens,
    cached_input_tokens, cache_write_tokens, output_tokens, audio_ms
  FROM requests WHERE usage_source <> 'none' AND price_version IS DISTINCT FROM '${PRICED_BY_SEGMENTS}'
  UNION ALL
  SELECT l.request_id, l.leg, l.cost, q.held - (sum(l.cost) OVER (PARTITION BY l.request_id ORDER BY l.leg) - l.cost), l.images,
    l.price_version, l.discount, l.input_tokens, l.cached_input_tokens, l.cache_write_tokens, l.output_tokens, l.audio_ms
  FROM request_legs l JOIN requests q ON q.id = l.request_id`;

/**
 * What each of them must have cost before it was cut off at its hold. Reckoned without division of decimals, which rounds.
 * `images` is NULL in records of before it was kept: there, any whole number of images is believed.
 */
const PRICED = `SELECT r.id, r.leg, r.cost, r.held, r.images, r.price_version, ${discounted("p.per_image")} AS per_image, p.id IS NOT NULL OR r.price_version IN ('builtin', 'local') AS is_known,
    coalesce(div((r.input_tokens - r.cached_input_tokens - r.cache_write_tokens)::numeric * ${discounted("p.input_per_million")}
      + r.cached_input_tokens::numeric * ${discounted("coalesce(p.cached_input_per_million, p.input_per_million)")}
      + r.cache_write_tokens::numeric * ${discounted("coalesce(p.cache_write_per_million, p.input_per_million)")}
      + r.output_tokens::numeric * ${discounted("p.output_per_million")} + r.audio_ms::numeric * ${discounted("p.per_second")} * 1000 + 999999, 1000000)
      + ${discounted("p.per_request")}, 0) AS base
  FROM (${CHARGED}) r LEFT JOIN price_versions p ON p.id::text = r.price_version`;

export const PRICES_CHECK: AuditCheck = {
  name: "prices",
  sentence:
    "Every cost, of a request or of one of its legs, is its price version times the accepted usage, cut off at the hold.",
  severity: "finding",
  sql: `SELECT format('request %s%s: ', id, ', leg ' || leg) || CASE WHEN is_known
      THEN format('cost %s, by price version %s it is %s', cost, price_version,
        least(base + coalesce(images, 0)::numeric * coalesce(per_image, 0), held))
      ELSE format('there is no price version %L', price_version) END AS example
    FROM (${PRICED}) priced
    WHERE is_known IS NOT TRUE OR (
      cost <> least(base + coalesce(images, 0)::numeric * coalesce(per_image, 0), held)
      AND NOT (images IS NULL AND per_image > 0 AND cost > base AND (cost = held OR mod(cost - base, per_image) = 0)))
    ORDER BY id, leg`,
};

const SUMMED = [
  "cost",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "output_tokens",
  "images",
  "audio_ms",
];

export const SEGMENTS_CHECK: AuditCheck = {
  name: "legs",
  sentence:
    "A request of several legs is their sum and is named by the last one, and every leg is of such a request.",
  severity: "finding",
  sql: `SELECT CASE
      WHEN r.id IS NULL THEN format('request %s has %s legs and is not priced by them', l.request_id, l.legs)
      WHEN l.request_id IS NULL THEN format('request %s is priced by legs and has none', r.id)
      ELSE format('request %s of %s/%s costs %s; its %s legs cost %s, the last is of %s', r.id, r.provider, r.model, r.cost, l.legs, l.cost, l.finished_by)
      END AS example
    FROM (SELECT * FROM requests WHERE price_version = '${PRICED_BY_SEGMENTS}') r
    FULL JOIN (
      SELECT request_id, count(*) AS legs, max(leg) AS last, (array_agg(provider || '/' || model ORDER BY leg DESC))[1] AS finished_by,
        ${SUMMED.map((column) => `sum(${column}) AS ${column}`).join(", ")}
      FROM request_legs GROUP BY request_id
    ) l ON l.request_id = r.id
    WHERE r.id IS NULL OR l.request_id IS NULL OR l.legs < 2 OR l.last <> l.legs OR l.finished_by <> r.provider || '/' || r.model
      OR (${SUMMED.map((column) => `r.${column}`).join(", ")}) IS DISTINCT FROM (${SUMMED.map((column) => `l.${column}`).join(", ")})
    ORDER BY coalesce(r.id, l.request_id)`,
};
