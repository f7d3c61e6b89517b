import { newId } from "@trunkline/core/id.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import { explainRoute } from "@trunkline/router/report/route-preview.ts";
import { z } from "zod";
import { plan } from "../../../pipeline/serve.ts";
import { generateBody } from "../../requests/inference-schema.ts";
import { readInference } from "../../requests/read-inference.ts";
import { routingPreview } from "../../responses/routing-decision.ts";
import { control, type Endpoint } from "../endpoint.ts";

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
  answer: routingPreview,
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
