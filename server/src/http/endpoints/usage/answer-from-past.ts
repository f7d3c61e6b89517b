import type { Services, UsageReaders } from "../../../app/services.ts";
import { Reply } from "../endpoint.ts";

/** Answers from past requests. Where they were read from a replica, a header says by how many seconds it may be behind. */
export async function answerFromPast<Body>(
  services: Services,
  work: (readers: UsageReaders) => Promise<Body | Reply>,
): Promise<Body | Reply> {
  const { result, ageMs } = await services.usage.readPast(work);
  if (ageMs === undefined) return result;
  const { status, body, contentType, headers } = result instanceof Reply ? result : new Reply(200, result);
  return new Reply(status, body, contentType, { ...headers, "x-trunkline-data-age": (ageMs / 1000).toFixed(1) });
}
