import { z } from "zod";
import { STRATEGIES } from "../../domain/inference.ts";
import { newId } from "../../kit/id.ts";
import { plan } from "../../line.ts";
import { explainRoute } from "../../route/explain.ts";
import { readInference } from "../../validate/read-inference.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { generateBody } from "../wire-inference.ts";

const strategy = z.object({ strategy: z.enum(STRATEGIES) });

const readRouting = control({
  method: "GET",
  path: "/v1/routing",
  power: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "The account's routing strategy",
  faults: [],
  answer: strategy,
  handle: async ({ house, caller }) => ({ strategy: caller.strategy ?? house.settings.current.strategy }),
});

const setRouting = control({
  method: "PUT",
  path: "/v1/routing",
  power: "routing.change",
  deed: { action: "routing.change", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Set the account's routing strategy",
  faults: [],
  body: strategy,
  answer: strategy,
  async handle({ house, caller, body }) {
    await house.accounts.change(caller.accountId, { strategy: body.strategy });
    house.keyring.forget();
    return { strategy: body.strategy };
  },
});

const previewRouting = control({
  method: "POST",
  path: "/v1/routing/preview",
  power: "routing.read",
  deed: null,
  status: 200,
  tag: "Routing",
  summary: "See how a request would be routed, without sending it",
  faults: ["model_not_found", "no_model_available", "insufficient_balance", "budget_exceeded"],
  body: generateBody.loose(),
  bodyUnchecked: true,
  answer: z.object({
    strategy: z.enum(STRATEGIES),
    task: z.string(),
    candidates: z.array(
      z.object({
        model: z.string(),
        predicted_quality: z.number(),
        expected_latency_ms: z.number(),
        estimated_cost: z.number(),
        worst_case_cost: z.number(),
        reasons: z.array(z.string()),
      }),
    ),
    left_out: z.array(z.object({ model: z.string(), reason: z.string() })),
  }),
  async handle({ house, caller, body }) {
    const inference = readInference(body, {
      task: { otherwise: "text" },
      streaming: false,
      liftedParameters: [],
    });
    const now = house.clock.now();
    const occasion = { requestId: newId(now), receivedAt: new Date(now), random: () => 0, explores: false };
    return explainRoute(await plan(house, caller, inference, occasion));
  },
});

export const routingEndpoints: readonly Endpoint[] = [readRouting, setRouting, previewRouting];
