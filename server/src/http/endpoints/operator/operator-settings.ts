import { amountOf, credits } from "@trunkline/core/field-schemas--money.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { LEARNING, SIGN_UP } from "@trunkline/core/service-settings.ts";
import { storable } from "@trunkline/core/storable.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { control, type Endpoint } from "../endpoint.ts";

const settings = z.object({
  sign_up: z.enum(SIGN_UP).describe("Who may open an account: anyone, whoever is invited, or nobody."),
  strategy: z.enum(STRATEGIES).describe("For accounts that have chosen none."),
  routing_learning: z
    .enum(LEARNING)
    .describe(
      "`frozen`: no outcome changes what is predicted, and nothing is tried out, whatever an account has chosen.",
    ),
  welcome_credits: credits(0, 1_000_000).describe("What a new organisation is given."),
  announcement: storable(z.string().trim().max(500)).describe("Shown to everyone at the dashboard."),
});

const readSettings = control({
  method: "GET",
  path: "/v1/admin/settings",
  power: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "The service's settings",
  faults: [],
  answer: settings,
  handle: async ({ house }) => settingsToWire(house),
});

const changeSettings = control({
  method: "PATCH",
  path: "/v1/admin/settings",
  power: "operator.change",
  deed: { action: "service.change", details: ({ body }) => body },
  status: 200,
  tag: "Operator",
  summary: "Change the service's settings",
  description:
    "What is not given stays. Holds on every instance within a second, and goes before the configuration.",
  faults: [],
  body: settings.partial(),
  answer: settings,
  async handle({ house, body }) {
    await house.settings.change({
      ...(body.sign_up === undefined ? {} : { signUp: body.sign_up }),
      ...(body.strategy === undefined ? {} : { strategy: body.strategy }),
      ...(body.routing_learning === undefined ? {} : { learning: body.routing_learning }),
      ...(body.welcome_credits === undefined ? {} : { welcomeCredits: amountOf(body.welcome_credits) }),
      ...(body.announcement === undefined ? {} : { announcement: body.announcement }),
    });
    return settingsToWire(house);
  },
});

function settingsToWire({ settings: { current } }: House) {
  return {
    sign_up: current.signUp,
    strategy: current.strategy,
    routing_learning: current.learning,
    welcome_credits: toCredits(current.welcomeCredits),
    announcement: current.announcement,
  };
}

export const operatorSettingEndpoints: readonly Endpoint[] = [readSettings, changeSettings];
