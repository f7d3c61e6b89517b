import { z } from "zod";

/** A stage of the line, and how long a request was there. */
export const stageSchema = z.object({
  stage: z
    .string()
    .describe(
      "`authenticate`, `admit`, `validate` (reading and checking the body), `claim` (only with an idempotency key), `route`, `screen`, `cache` (only where it was asked), `hold`, `provider` (waiting for providers), `client` (waiting for the client to take a piece of a stream), `charge` (counting and pricing).",
    ),
  start_ms: z.number().describe("Since arrival: the sum of the stages before."),
  ms: z
    .number()
    .describe("In a stream `provider` and `client` take turns; each is given as the sum of its turns."),
});

/** The stages in order, each with its beginning. */
export function toStages(timings: Readonly<Record<string, number>>) {
  let start = 0;
  return Object.entries(timings).map(([name, ms]) => {
    const begun = { stage: name, start_ms: Math.round(start * 1000) / 1000, ms };
    start += ms;
    return begun;
  });
}
