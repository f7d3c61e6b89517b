import type { Caller } from "@trunkline/core/caller.ts";
import { truncateText } from "@trunkline/core/code-points.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { creditsSchema, storableText, toNanoCredits } from "@trunkline/core/field-schemas.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { SAFETY_PRESETS } from "@trunkline/core/safety-policy.ts";
import {
  effectiveThresholdsSchema,
  serviceSafetyRulesSchema,
  toPolicyJson,
  toSafetyRules,
  toSafetyRulesJson,
} from "@trunkline/core/safety-rules-schema.ts";
import { LEARNING_MODES, SIGN_UP_MODES } from "@trunkline/core/service-settings.ts";
import { EffectivePolicy } from "@trunkline/guard/policy/merge-policies.ts";
import { JUDGE_KINDS } from "@trunkline/providers/moderation-judges/moderation-formats.ts";
import { isRoutable, isVisible } from "@trunkline/router/candidates/catalogue.ts";
import { z } from "zod";
import { SETTING_SOURCES } from "../../../app/config/effective-settings.ts";
import type { Services } from "../../../app/services.ts";
import { judgeSettingSchema } from "../../requests/judge-schema.ts";
import { auditSafeRules } from "../audit.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const serviceSettingsSchema = z.object({
  sign_up: z.enum(SIGN_UP_MODES).describe("Who may open an account: anyone, whoever is invited, or nobody."),
  strategy: z.enum(STRATEGIES).describe("For accounts that have chosen none."),
  routing_learning: z
    .enum(LEARNING_MODES)
    .describe(
      "`frozen`: no outcome changes what is predicted, and nothing is tried out, whatever an account has chosen.",
    ),
  welcome_credits: creditsSchema(0, 1_000_000).describe(
    "What a new organisation is given, once for each verified address of a person who signs up.",
  ),
  announcement: storableText(z.string().trim().max(500)).describe("Shown to everyone at the dashboard."),
  public_models: z.boolean().describe("Whether everyone may read the catalogue of models without logging in."),
  public_status: z.boolean().describe("Whether everyone may read how the service does without logging in."),
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

const effectiveSettingSchema = z.object({
  name: z.string().describe("A variable, a field of the configuration file, or a setting of the dashboard."),
  value: z.string().nullable().describe("null: it is not set, or it is a secret."),
  is_secret: z.boolean().describe("There is a value, and it is not shown."),
  source: z.enum(SETTING_SOURCES),
});

const readConfiguration = controlEndpoint({
  method: "GET",
  path: "/v1/admin/configuration",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Each setting of the service, and where it comes from",
  description:
    "As this instance has it in force. Secrets are left out, and of addresses only the host is shown. What was set in the dashboard goes before the environment, and that before the file.",
  faults: [],
  response: z.object({ data: z.array(effectiveSettingSchema) }),
  handle: async ({ services }) => ({
    data: [
      ...dashboardSettings(services),
      ...services.config.effective.map(({ name, value, source, isSecret }) => ({
        name,
        value: value ?? null,
        is_secret: isSecret,
        source,
      })),
    ],
  }),
});

/** The settings that the operator can change while the service runs. */
function dashboardSettings({ settings, config }: Services): z.output<typeof effectiveSettingSchema>[] {
  const { signUp, strategy, learning, welcomeCredits, announcement, publicModels, publicStatus } = settings.current;
  /** `below` is the setting that holds where the operator has set nothing. */
  const shown = (name: string, value: string, isOwn: boolean, below?: string) => ({
    name,
    value: value === "" ? null : value,
    is_secret: false,
    source: isOwn
      ? ("dashboard" as const)
      : (config.effective.find((setting) => setting.name === below)?.source ?? ("default" as const)),
  });
  return [
    shown("sign_up", signUp, settings.isOwn("signUp"), "TRUNKLINE_SIGN_UP"),
    shown("strategy", strategy, settings.isOwn("strategy"), "routing.strategy"),
    shown("routing_learning", learning, settings.isOwn("learning"), "routing.learning"),
    shown("welcome_credits", String(toCredits(welcomeCredits)), settings.isOwn("welcomeCredits")),
    shown("announcement", announcement, settings.isOwn("announcement")),
    shown("public_models", String(publicModels), settings.isOwn("publicModels")),
    shown("public_status", String(publicStatus), settings.isOwn("publicStatus")),
    shown("safety_rules", settings.safetyIsOwn ? "changed" : "as configured", settings.safetyIsOwn, "safety"),
    shown("judge", settings.judge === undefined ? "none" : "set", settings.judgeIsOwn, "safety"),
  ];
}

const changeSettings = controlEndpoint({
  method: "PATCH",
  path: "/v1/admin/settings",
  permission: "operator.change",
  audit: { action: "service.change", details: ({ body }) => body },
  status: 200,
  tag: "Operator",
  summary: "Change the service's settings",
  description: "What is not given stays. Holds on every instance within a second, and goes before the configuration.",
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
      ...(body.public_models === undefined ? {} : { publicModels: body.public_models }),
      ...(body.public_status === undefined ? {} : { publicStatus: body.public_status }),
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
    public_models: current.publicModels,
    public_status: current.publicStatus,
  };
}

export const operatorSettingEndpoints: readonly Endpoint[] = [readConfiguration, readSettings, changeSettings];

const judgeResponseSchema = judgeSettingSchema
  .extend({
    model: z.string().nullable().describe("null: an endpoint of the configuration file's is asked."),
    endpoint: z.enum(JUDGE_KINDS).nullable().describe("What kind of endpoint it is."),
    time_box_ms: z.number(),
    on_failure: z.enum(["open", "closed"]),
  })
  .nullable()
  .describe("Who is asked about doubtful texts; null: nobody.");

const serviceSafetyResponseSchema = serviceSafetyRulesSchema.extend({
  preset: z.enum(SAFETY_PRESETS),
  locked: z.boolean(),
  effective: effectiveThresholdsSchema.describe(
    "What holds for each category, where no account or key says otherwise.",
  ),
  source: z.enum(["configuration", "dashboard"]),
  judge: judgeResponseSchema,
  judge_source: z.enum(["configuration", "dashboard"]).describe("Who says that, be it nobody."),
});

const readSafety = controlEndpoint({
  method: "GET",
  path: "/v1/admin/safety",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "The service's safety policy",
  faults: [],
  response: serviceSafetyResponseSchema,
  handle: async ({ services }) => toServiceSafetyResponse(services),
});

const changeSafety = controlEndpoint({
  method: "PUT",
  path: "/v1/admin/safety",
  permission: "operator.change",
  audit: { action: "safety.change", details: ({ body }) => auditSafeRules(body) },
  status: 200,
  tag: "Operator",
  summary: "Set the service's safety policy",
  description:
    "Laid over what the configuration file says, and holds on every instance within a second. A preset begins anew; what is not said stays the file's. Accounts and keys lay their own rules over it, unless it is `locked`. `sexual_minors` can't be loosened, and only `pii` and `secret` can be redacted.",
  faults: [],
  body: serviceSafetyRulesSchema.extend({
    judge: judgeSettingSchema
      .nullable()
      .optional()
      .describe("The model that is asked about doubtful texts; null: nobody is; absent: as the file has it."),
  }),
  response: serviceSafetyResponseSchema,
  async handle({ services, caller, body: { judge, ...rules } }) {
    if (judge != null) requireJudge(services, caller, judge.model);
    await services.settings.changeSafety(toSafetyRules(rules), judge);
    return toServiceSafetyResponse(services);
  },
});

const resetSafety = controlEndpoint({
  method: "DELETE",
  path: "/v1/admin/safety",
  permission: "operator.change",
  audit: { action: "safety.reset" },
  status: 200,
  tag: "Operator",
  summary: "Go back to the configuration's safety policy",
  faults: [],
  response: serviceSafetyResponseSchema,
  async handle({ services }) {
    await services.settings.forgetSafety();
    return toServiceSafetyResponse(services);
  },
});

/** Refuses a judge that can't be called: it would fail for every doubtful text. */
function requireJudge({ providers: { catalogue } }: Services, caller: Caller, name: string): void {
  // Another account's private model is treated as missing, as everywhere.
  const models = catalogue
    .byName(name)
    .filter((model) => isVisible(model, caller) && (model.thirdParty !== true || name === fullNameOf(model)));
  const textModels = models.filter(({ type }) => type === "text" || type === "multimodal");
  const judges = textModels.filter(({ wire }) => wire !== "builtin");
  if (judges.some(isRoutable)) return;
  const named = `"${truncateText(name, 128)}"`;
  const wrong =
    models.length === 0
      ? `There is no registered model ${named}`
      : textModels.length === 0
        ? `No model of texts is ${named}`
        : judges.length === 0
          ? `Built-in models can't judge, and so can't ${named}`
          : `The model ${named} is ${judges[0]?.state} and can't be called`;
  throw new Fault(
    "invalid_request",
    `${wrong}. Name a model of texts, in service, that GET /v1/admin/models lists, as provider/name.`,
    { param: "judge.model" },
  );
}

function toJudgeResponse({ judge }: Services["settings"]): z.infer<typeof judgeResponseSchema> {
  if (judge === undefined) return null;
  const { by, timeBoxMs, onFailure } = judge;
  return {
    model: typeof by === "string" ? by : null,
    endpoint: typeof by === "string" ? null : by.kind,
    time_box_ms: timeBoxMs,
    on_failure: onFailure,
  };
}

function toServiceSafetyResponse({ settings }: Services) {
  const { safety, safetyIsOwn } = settings;
  const { categories = {}, locked = false, preset = "balanced", ...rules } = toSafetyRulesJson(safety);
  return {
    preset,
    categories,
    ...rules,
    locked,
    effective: toPolicyJson(new EffectivePolicy(safety).policyFor().policy),
    source: safetyIsOwn ? "dashboard" : "configuration",
    judge: toJudgeResponse(settings),
    judge_source: settings.judgeIsOwn ? "dashboard" : "configuration",
  };
}

export const operatorSafetyEndpoints: readonly Endpoint[] = [readSafety, changeSafety, resetSafety];
