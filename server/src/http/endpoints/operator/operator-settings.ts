import { creditsSchema, toNanoCredits } from "@trunkline/core/field-schemas--money.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { LEARNING_MODES, SIGN_UP_MODES } from "@trunkline/core/service-settings.ts";
import { storableText } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const serviceSettingsSchema = z.object({
  sign_up: z.enum(SIGN_UP_MODES).describe("Who may open an account: anyone, whoever is invited, or nobody."),
  strategy: z.enum(STRATEGIES).describe("For accounts that have chosen none."),
  routing_learning: z
    .enum(LEARNING_MODES)
    .describe(
      "`frozen`: no outcome changes what is predicted, and nothing is tried out, whatever an account has chosen.",
    ),
  welcome_credits: creditsSchema(0, 1_000_000).describe("What a new organisation is given."),
  announcement: storableText(z.string().trim().max(500)).describe("Shown to everyone at the dashboard."),
});

const readSettings = controlEndpoint({
  method: "GET",
  path: "/v1/admin/settings",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "The service's settings",
  faults: [],
  response: serviceSettingsSchema,
  handle: async ({ services }) => toServiceSettingsResponse(services),
});

const changeSettings = controlEndpoint({
  method: "PATCH",
  path: "/v1/admin/settings",
  permission: "operator.change",
  audit: { action: "service.change", details: ({ body }) => body },
  status: 200,
  tag: "Operator",
  summary: "Change the service's settings",
  description:
    "What is not given stays. Holds on every instance within a second, and goes before the configuration.",
  faults: [],
  body: serviceSettingsSchema.partial(),
  response: serviceSettingsSchema,
  async handle({ services, body }) {
    await services.settings.change({
      ...(body.sign_up === undefined ? {} : { signUp: body.sign_up }),
      ...(body.strategy === undefined ? {} : { strategy: body.strategy }),
      ...(body.routing_learning === undefined ? {} : { learning: body.routing_learning }),
      ...(body.welcome_credits === undefined ? {} : { welcomeCredits: toNanoCredits(body.welcome_credits) }),
      ...(body.announcement === undefined ? {} : { announcement: body.announcement }),
    });
    return toServiceSettingsResponse(services);
  },
});

function toServiceSettingsResponse({ settings: { current } }: Services) {
  return {
    sign_up: current.signUp,
    strategy: current.strategy,
    routing_learning: current.learning,
    welcome_credits: toCredits(current.welcomeCredits),
    announcement: current.announcement,
  };
}

export const operatorSettingEndpoints: readonly Endpoint[] = [readSettings, changeSettings];
