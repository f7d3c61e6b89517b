import { fullNameOf, type Model } from "@trunkline/core/model.ts";
import type { LastDay } from "@trunkline/providers/health/endpoint-stats.ts";
import { availabilityOf } from "@trunkline/providers/health/endpoint-totals.ts";
import { z } from "zod";
import type { Services } from "../../app/services.ts";

/** Fewer calls than these in the last hour say nothing. */
const TROUBLED_CALLS = 5;

/** How a model does now, by the same figures wherever it is shown. */
export function conditionOf({ providers }: Services, model: Model, day: LastDay): "up" | "degraded" | "down" {
  if (!providers.health.of(model.id).available) return "down";
  const totals = day.lastHourOf(model.id);
  if (totals.calls < TROUBLED_CALLS) return "up";
  const availability = availabilityOf(totals);
  return availability === "no data" ? "up" : availability;
}

export const serviceStatusSchema = z.object({
  state: z
    .enum(["operational", "degraded", "down"])
    .describe("degraded: a model is in trouble. down: all are, or the store does not answer."),
  checked_at: z.string(),
  api: z.enum(["up", "down"]),
  store: z.enum(["up", "down"]),
  models: z.array(
    z.object({
      model: z.string().describe("provider/name"),
      state: z.enum(["up", "degraded", "down"]).describe("Now, by the calls of the last hour."),
      history: z
        .array(z.object({ at: z.string(), state: z.enum(["up", "degraded", "down", "no data"]) }))
        .describe("The last 24 hours, hour by hour, the oldest first."),
    }),
  ),
});

/** How the service and these models do. It says nothing of how much they are used. */
export async function readServiceStatus(
  services: Services,
  models: readonly Model[],
): Promise<z.output<typeof serviceStatusSchema>> {
  const [day, isReady] = await Promise.all([
    services.providers.endpointStats.lastDayByHour(),
    services.lifecycle.isReady(),
  ]);
  const conditions = models.map((model) => ({
    model: fullNameOf(model),
    state: conditionOf(services, model, day),
    history: day.bucketsOf(model.id).map(({ atMs, totals }) => ({
      at: new Date(atMs).toISOString(),
      state: availabilityOf(totals),
    })),
  }));
  const isAnyUp = conditions.length === 0 || conditions.some(({ state }) => state !== "down");
  const isAllUp = conditions.every(({ state }) => state === "up");
  return {
    state: !isReady || !isAnyUp ? "down" : isAllUp ? "operational" : "degraded",
    checked_at: new Date(services.clock.now()).toISOString(),
    api: "up",
    store: isReady ? "up" : "down",
    models: conditions.toSorted((one, other) => (one.model < other.model ? -1 : 1)),
  };
}
