import { z } from "zod";
import { STRATEGIES } from "../../domain/inference.ts";
import { LEARNING, SIGN_UP } from "../../domain/service-settings.ts";
import type { House } from "../../house.ts";
import { toCredits } from "../../kit/money.ts";
import type { SafetySettings } from "../../live-settings.ts";
import { SAFETY_CATEGORIES } from "../../safety/categories.ts";
import { POLICY_ACTIONS, SAFETY_PRESETS, type Thresholds, unredactableOf } from "../../safety/policy.ts";
import { amountOf, credits } from "../../wire/money.ts";
import { storable } from "../../wire/storable.ts";
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

const mark = z.number().min(0).max(1).nullable().describe("From which score on; null: never.");
const thresholds = z
  .object({
    report_at: mark,
    redact_at: mark.default(null).describe("From which score on values are taken out; null: never."),
    refuse_at: mark,
  })
  .refine(({ report_at: report, redact_at: redact, refuse_at: refuse }) => {
    const given = [report, redact, refuse].filter((score) => score !== null);
    return given.every((score, place) => place === 0 || score >= (given[place - 1] ?? 0));
  }, "must report at a score no higher than the one that it redacts at, and redact at none higher than the one that it refuses at");
const category = z.enum(SAFETY_CATEGORIES);
const override = z.union([z.enum(POLICY_ACTIONS), thresholds]);

const safetyShown = z.object({
  preset: z.enum(SAFETY_PRESETS),
  categories: z.partialRecord(category, override).describe("What differs from the preset."),
  effective: z.record(category, thresholds).describe("What holds for each category."),
  source: z.enum(["configuration", "dashboard"]),
});

const readSafety = control({
  method: "GET",
  path: "/v1/admin/safety",
  power: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "The safety policy",
  faults: [],
  answer: safetyShown,
  handle: async ({ house }) => safetyToWire(house),
});

const changeSafety = control({
  method: "PUT",
  path: "/v1/admin/safety",
  power: "operator.change",
  deed: { action: "safety.change", details: ({ body }) => body },
  status: 200,
  tag: "Operator",
  summary: "Set the safety policy",
  description:
    "A preset, and what shall differ from it: an action, or scores of your own. Holds on every instance within a second, and goes before the configuration file. `sexual_minors` can't be allowed, and only `pii` and `secret` can be redacted.",
  faults: [],
  body: z.object({
    preset: z.enum(SAFETY_PRESETS),
    categories: z
      .partialRecord(category, override)
      .default({})
      .refine(({ sexual_minors: rule }) => {
        if (rule === undefined || rule === "refuse") return true;
        return typeof rule === "object" && rule.refuse_at !== null && rule.refuse_at <= 0.5;
      }, "must refuse sexual_minors at a score of 0.5 or less")
      .refine(
        (categories) => unredactableOf(overridesOf(categories)) === undefined,
        "must redact nothing but pii and secret, as only their values can be taken out",
      ),
  }),
  answer: safetyShown,
  async handle({ house, body }) {
    await house.settings.changeSafety(safetyOf(body));
    return safetyToWire(house);
  },
});

const resetSafety = control({
  method: "DELETE",
  path: "/v1/admin/safety",
  power: "operator.change",
  deed: { action: "safety.reset" },
  status: 200,
  tag: "Operator",
  summary: "Go back to the configuration's safety policy",
  faults: [],
  answer: safetyShown,
  async handle({ house }) {
    await house.settings.forgetSafety();
    return safetyToWire(house);
  },
});

function safetyOf(body: {
  preset: SafetySettings["preset"];
  categories: z.output<typeof safetyShown>["categories"];
}): SafetySettings {
  return { preset: body.preset, categories: overridesOf(body.categories) };
}

function overridesOf(categories: z.output<typeof safetyShown>["categories"]): SafetySettings["categories"] {
  return Object.fromEntries(
    Object.entries(categories).map(([name, rule]) => [
      name,
      typeof rule === "object" ? thresholdsOf(rule) : rule,
    ]),
  );
}

function thresholdsOf(marks: z.output<typeof thresholds>): Thresholds {
  return {
    reportAt: marks.report_at ?? undefined,
    redactAt: marks.redact_at ?? undefined,
    refuseAt: marks.refuse_at ?? undefined,
  };
}

function safetyToWire({ settings: { safety, policy } }: House) {
  const categories = Object.entries(safety.categories).map(([name, rule]) => [
    name,
    typeof rule === "object" ? marksOf(rule) : rule,
  ]);
  const effective = SAFETY_CATEGORIES.map((name) => [name, marksOf(policy[name])]);
  return {
    preset: safety.preset,
    categories: Object.fromEntries(categories),
    effective: Object.fromEntries(effective),
    source: safety.isOwn ? "dashboard" : "configuration",
  };
}

function marksOf({ reportAt, redactAt, refuseAt }: Thresholds) {
  return { report_at: reportAt ?? null, redact_at: redactAt ?? null, refuse_at: refuseAt ?? null };
}

export const operatorSettingEndpoints: readonly Endpoint[] = [
  readSettings,
  changeSettings,
  readSafety,
  changeSafety,
  resetSafety,
];
