import type { RecordedChoice, RecordedRequest } from "@trunkline/router/learn/feedback.ts";
import { z } from "zod";
import type { RequestRecord } from "../../../store/usage/request-log.ts";

/** What of a record's detail an outcome is counted by. Records of earlier versions lack it. */
const recordedDetailSchema = z.object({
  routing: z.object({
    reading: z.object({ domain: z.string(), shares: z.array(z.tuple([z.string(), z.number()])) }),
    propensity: z.number().optional(),
    candidates: z.array(
      z.object({
        model: z.string(),
        predicted_quality: z.number(),
        unlearnt_quality: z.number().optional(),
      }),
    ),
  }),
  cache: z.object({ model: z.string().optional() }).optional(),
});

/** A record as those read it who learn from what is said of it. */
export function toRecordedRequest(record: RequestRecord): RecordedRequest {
  return {
    id: record.id,
    createdAt: record.created_at,
    isAnswered: record.status < 400 && record.model !== null,
    choice: recordedChoiceOf(record),
  };
}

function recordedChoiceOf({ detail, provider, model }: RequestRecord): RecordedChoice | undefined {
  const read = recordedDetailSchema.safeParse(detail);
  if (!read.success) return undefined;
  const { routing, cache } = read.data;
  const answeredBy = cache?.model ?? `${provider}/${model}`;
  const chosen = routing.candidates.find((candidate) => candidate.model === answeredBy);
  if (chosen === undefined) return undefined;
  const { domain, shares } = routing.reading;
  return {
    model: answeredBy,
    promptFeatures: { domain, shares: shares.map(([name, share]) => ({ domain: name, share })) },
    predictedQuality: chosen.predicted_quality,
    prior: chosen.unlearnt_quality ?? chosen.predicted_quality,
    propensity: routing.propensity ?? 1,
  };
}
