import type { Model } from "@trunkline/core/model.ts";
import { z } from "zod";

/** How much of the traffic a model gets. */
export const trafficShareSchema = z.object({
  weight: z
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe(
      "How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give.",
    ),
  canary_share: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .optional()
    .describe(
      "In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set.",
    ),
});

type TrafficShare = Pick<Model, "weight" | "canaryShare">;
type TrafficShareBody = {
  readonly [Field in keyof z.infer<typeof trafficShareSchema>]?: z.infer<typeof trafficShareSchema>[Field];
};

/** The inside form of what was said; what was not said is absent, so that a change touches nothing else. */
export function toTrafficShare({ weight, canary_share: share }: TrafficShareBody): TrafficShare {
  return {
    ...(weight === undefined ? {} : { weight }),
    ...(share === undefined ? {} : { canaryShare: share ?? undefined }),
  };
}
