import { newId } from "@trunkline/core/id.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import { previewRoute } from "@trunkline/router/report/route-preview.ts";
import { z } from "zod";
import { planRoute } from "../../../pipeline/serve.ts";
import { generateRequestSchema } from "../../requests/inference-schema.ts";
import { readInference } from "../../requests/read-inference.ts";
import { routingPreviewSchema } from "../../responses/routing-decision.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const strategySchema = z.object({ strategy: z.enum(STRATEGIES) });

const readRouting = controlEndpoint({
  method: "GET",
  path: "/v1/routing",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "The account's routing strategy",
  faults: [],
  response: strategySchema,
  handle: async ({ services, caller }) => ({
    strategy: caller.strategy ?? services.settings.current.strategy,
  }),
});

const setRouting = controlEndpoint({
  method: "PUT",
  path: "/v1/routing",
  permission: "routing.change",
  audit: { action: "routing.change", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Set the account's routing strategy",
  faults: [],
  body: strategySchema,
  response: strategySchema,
  async handle({ services, caller, body }) {
    await services.accounts.change(caller.accountId, { strategy: body.strategy });
    services.keyring.invalidate();
    return { strategy: body.strategy };
  },
});

const previewRouting = controlEndpoint({
  method: "POST",
  path: "/v1/routing/preview",
  permission: "routing.read",
  audit: null,
  status: 200,
  tag: "Routing",
  summary: "See how a request would be routed, without sending it",
  faults: ["model_not_found", "no_model_available", "insufficient_balance", "budget_exceeded"],
  body: generateRequestSchema.loose(),
  skipBodyValidation: true,
  response: routingPreviewSchema,
  async handle({ services, caller, body }) {
    const inference = readInference(body, {
      task: { otherwise: "text" },
      streaming: false,
      liftedParameters: [],
    });
    const now = services.clock.now();
    const occasion = { requestId: newId(now), receivedAt: new Date(now), random: () => 0, explores: false };
    return previewRoute(await planRoute(services, caller, inference, occasion));
  },
});

export const routingEndpoints: readonly Endpoint[] = [readRouting, setRouting, previewRouting];
