import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isCalendarDate, storableText } from "@trunkline/core/field-schemas.ts";
import { isId } from "@trunkline/core/id.ts";
import { isTimeZone, startOfDay } from "@trunkline/core/time-zone.ts";
import { z } from "zod";
import type { UsageFilter, UsageRange } from "../../store/usage/usage-query.ts";

/** The query of operations that read a time range. */
export const usageRangeQuery = z.object({
  from: z.string().optional().describe("An ISO date or a date-time; inclusive."),
  to: z.string().optional().describe("An ISO date (that whole day counts) or a date-time (exclusive)."),
  timezone: z.string().optional().describe("The IANA zone in which dates are meant. Default: the account's own."),
});

/** A name of a model, a provider or a task in the stored requests. */
const recordNameSchema = storableText(z.string().min(1).max(257));

/** A tag in a query. */
const tagSchema = storableText(z.string().regex(/^[^=]{1,64}(=.{1,512})?$/su, "must be like team=search, or team"));

/** The filters of usage and of lists of requests. */
export const usageFilterQuery = z.object({
  model: recordNameSchema.optional().describe("A model's name, or provider/name."),
  provider: recordNameSchema.optional(),
  key: z.string().refine(isId, "must be the id of a key").optional().describe("The id of a key."),
  task: recordNameSchema.optional().describe("The word that the requests gave as their task."),
  tag: z
    .union([tagSchema, z.array(tagSchema).max(8)])
    .optional()
    .describe(
      "A tag of the requests: `team=search`, or `team` for any text. May be given several times; all must fit. `group_by=tag` groups by the texts of the first.",
    ),
});

type RangeQuery = z.output<typeof usageRangeQuery>;

/** The time range of a query. */
export function toUsageRange(query: RangeQuery, caller: Caller): UsageRange {
  const timeZone = timeZoneOf(query, caller);
  return { from: parseMoment("from", query.from, timeZone, 0), to: parseMoment("to", query.to, timeZone, 1) };
}

/** The time zone of a query. */
export function timeZoneOf({ timezone }: RangeQuery, caller: Caller): string {
  if (timezone === undefined) return caller.timeZone;
  if (!isTimeZone(timezone)) {
    throw new Fault("invalid_request", "`timezone` must be an IANA zone, for example Europe/Berlin.", {
      param: "timezone",
    });
  }
  return timezone;
}

/** The filter of a query. Names have no slash, so a slash separates the provider from the model. */
export function toUsageFilter(
  query: z.output<typeof usageFilterQuery> & { readonly group_by?: string | undefined },
): UsageFilter {
  const slash = query.model?.indexOf("/") ?? -1;
  const provider = slash === -1 ? undefined : query.model?.slice(0, slash);
  if (provider !== undefined && query.provider !== undefined && provider !== query.provider) {
    throw new Fault("invalid_request", "`model` names another provider than `provider` does. Send one of the two.", {
      param: "provider",
    });
  }
  const tags = toTagFilters(query.tag);
  if (query.group_by === "tag" && tags === undefined)
    throw new Fault("invalid_request", "`group_by=tag` needs `tag`, the name of the tag, for example `tag=team`.", {
      param: "tag",
    });
  return {
    model: query.model?.slice(slash + 1),
    provider: provider ?? query.provider,
    keyId: query.key,
    task: query.task,
    tags,
  };
}

function toTagFilters(tag: string | readonly string[] | undefined): UsageFilter["tags"] {
  if (tag === undefined || tag.length === 0) return undefined;
  return (typeof tag === "string" ? [tag] : tag).map((text) => {
    const equals = text.indexOf("=");
    return equals === -1
      ? { name: text, value: undefined }
      : { name: text.slice(0, equals), value: text.slice(equals + 1) };
  });
}

/** A date means its first moment in the zone, plus `addDays` days. A date-time means itself. */
function parseMoment(param: string, text: string | undefined, timeZone: string, addDays: number): Date | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && isCalendarDate(text)) return startOfDay(text, timeZone, addDays);
  const isDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  if (!isDateTime || !isCalendarDate(text.slice(0, 10)) || Number.isNaN(Date.parse(text))) {
    throw new Fault(
      "invalid_request",
      `\`${param}\` must be an ISO date such as 2026-01-31, or a date-time with its offset.`,
      { param },
    );
  }
  return new Date(text);
}
