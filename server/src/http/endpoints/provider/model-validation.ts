import { Fault } from "@trunkline/core/fault.ts";
import { listSchemaIssues } from "@trunkline/core/field-schemas.ts";
import type { Wire } from "@trunkline/core/model.ts";
import type { ModelDraft } from "@trunkline/providers/catalogue/model-validation.ts";
import { z } from "zod";
import {
  modelNameSchema,
  modelTermsSchema,
  registerModelSchema,
  requirePrices,
  toModelChange,
  updateModelSchema,
} from "../../requests/model-schema.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

/** A message about one field. */
interface FieldMessage {
  readonly param: string;
  readonly message: string;
}

/** Terms of which some may be missing, because the form is incomplete or the change leaves them as they are. */
export type PartialModelTerms = {
  readonly [Field in keyof z.infer<typeof modelTermsSchema>]?: z.infer<typeof modelTermsSchema>[Field] | undefined;
};

/** A price for a thousand tokens above this was probably meant for a million tokens. */
const UNUSUAL_TOKEN_PRICE = 0.5;

/** Operation paths of well-known APIs. A URL that ends with one is not a base URL. */
const OPERATION_PATHS =
  /\/(chat\/completions|completions|responses|embeddings|messages|v2\/chat|v2\/embed|converse|converse-stream)\/?$|:(stream)?generateContent$|:(batch)?embedContents?$/i;
const WELL_KNOWN_HOSTS: readonly { readonly host: RegExp; readonly wire: Wire }[] = [
  { host: /(^|\.)openai\.(com|azure\.com)$/, wire: "openai" },
  { host: /(^|\.)anthropic\.com$/, wire: "anthropic" },
  { host: /^generativelanguage\.googleapis\.com$/, wire: "gemini" },
  { host: /^bedrock-runtime\..*\.amazonaws\.com$/, wire: "bedrock" },
  { host: /(^|\.)cohere\.(com|ai)$/, wire: "cohere" },
];

/** What is probably wrong with an endpoint, given its wire format. */
function wireFormatHint(endpoint: string, wire: Wire): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const { hostname, pathname } = new URL(endpoint);
  if (wire !== "trunkline") {
    return OPERATION_PATHS.test(pathname)
      ? "With this wire format the endpoint is the base URL of the API: leave the operation's own path out."
      : undefined;
  }
  const known = WELL_KNOWN_HOSTS.find(({ host }) => host.test(hostname));
  return known && `This looks like an API of its own format. Set \`wire\` to ${known.wire}.`;
}

/** Terms that are allowed but probably not meant. */
export function modelWarnings(draft: PartialModelTerms, isNew: boolean): FieldMessage[] {
  const warnings: FieldMessage[] = [];
  const warn = (param: string, message: string) => warnings.push({ param, message });
  const { pricing: price, endpoint, context_window: context, max_output_tokens: output } = draft;

  if (endpoint?.startsWith("http:")) warn("endpoint", "Plain http sends prompts and the credential unencrypted.");
  const hint = endpoint === undefined ? undefined : wireFormatHint(endpoint, draft.wire ?? "trunkline");
  if (hint !== undefined) warn("endpoint", hint);
  if (draft.upstream_model != null && (draft.wire ?? "trunkline") === "trunkline" && isNew)
    warn("upstream_model", "It is not sent in the provider contract: there an endpoint is one model.");
  if (draft.auth_type === "none") warn("auth_type", "Whoever knows the address can call it, and you pay for that.");
  for (const field of ["input_per_1k_tokens", "output_per_1k_tokens"] as const) {
    if ((price?.[field] ?? 0) > UNUSUAL_TOKEN_PRICE)
      warn(`pricing.${field}`, "This is for a thousand tokens. A price for a million would be a thousandth of it.");
  }
  const given = Object.values(price ?? {}).filter((value) => typeof value === "number");
  if (given.length > 0 && given.every((value) => value === 0)) warn("pricing", "This model is free of charge.");
  const cached = price?.cached_input_per_1k_tokens ?? undefined;
  if (cached !== undefined && cached > (price?.input_per_1k_tokens ?? Number.POSITIVE_INFINITY))
    warn("pricing.cached_input_per_1k_tokens", "Input out of the cache is dearer than other input.");
  if (context !== undefined && output !== undefined && output > context)
    warn("max_output_tokens", "It is more than the context window holds.");
  if (isNew && (draft.capabilities?.length ?? 0) + (draft.specialties?.length ?? 0) === 0)
    warn("capabilities", "A model that lists what it is good at is chosen for that work more often.");
  if (isNew && draft.performance?.accuracy_score === undefined)
    warn("performance.accuracy_score", "Without it, the quality is taken for 0.5.");
  if (draft.cost_efficiency !== undefined && !/^(low|medium|high)$/.test(draft.cost_efficiency))
    warn("cost_efficiency", "Only high and low make a difference; anything else counts as medium.");
  return warnings;
}

const fieldMessageSchema = z.object({ param: z.string(), message: z.string() });
const pricedModelSchema = modelTermsSchema.pick({ type: true, pricing: true }).superRefine(requirePrices);
const REGISTRATION_FIELDS: readonly string[] = ["type", "endpoint", "pricing"];

const validateModel = controlEndpoint({
  method: "POST",
  path: "/v1/provider/models/validate",
  permission: "provider.read",
  audit: null,
  status: 200,
  tag: "Providers",
  summary: "See what is wrong with a registration, without registering",
  description:
    "Takes the body of a registration, or of a change together with the `name` of a model of yours: with `?change=true`, or where type, endpoint or pricing are missing. `issues` would be refused; `warnings` would not.",
  faults: [],
  query: z.object({
    change: z.enum(["true", "false"]).optional().describe("Whether this is a change of a model you have."),
  }),
  body: modelTermsSchema.partial().extend({ name: modelNameSchema.optional() }).loose(),
  skipBodyValidation: true,
  response: z.object({
    valid: z.boolean(),
    issues: z.array(fieldMessageSchema),
    warnings: z.array(fieldMessageSchema),
  }),
  async handle({ services, caller, body, query }) {
    const sent = requireObject(body);
    const name = modelNameSchema.safeParse(sent.name);
    const known =
      name.success && query.change !== "false"
        ? services.providers.models
            .list(caller)
            .find((model) => model.provider === caller.provider && model.name === name.data)
        : undefined;
    const isChange =
      query.change === "true" || (known !== undefined && REGISTRATION_FIELDS.some((field) => sent[field] == null));
    if (isChange && known === undefined)
      return toValidationResponse([{ param: "name", message: "You have no model of this name." }], []);
    const model = isChange ? known : undefined;
    const draft = readableFields(sent);
    const issues = [
      ...schemaIssuesIn(sent, isChange),
      ...(await services.providers.models.validate(
        caller,
        toModelDraft(draft, name.data),
        toModelChange(draft),
        model,
      )),
    ];
    return toValidationResponse(issues, modelWarnings(draft, !isChange));
  },
});

function requireObject(body: unknown): Readonly<Record<string, unknown>> {
  const read = z.record(z.string(), z.unknown()).safeParse(body);
  if (!read.success) throw new Fault("invalid_request", "The body must be a JSON object.");
  return read.data;
}

/** What the schema refuses. Zod skips refinements while other fields are wrong, so missing prices are checked apart. */
function schemaIssuesIn(sent: unknown, isChange: boolean): FieldMessage[] {
  const schema = isChange ? updateModelSchema : registerModelSchema;
  const whole = schema.safeParse(sent, { reportInput: true });
  if (whole.success) return [];
  const issues = listSchemaIssues(whole.error);
  const price = isChange ? undefined : pricedModelSchema.safeParse(sent, { reportInput: true });
  return price?.error === undefined ? issues : [...issues, ...listSchemaIssues(price.error)];
}

/** The fields that are valid on their own. */
function readableFields(sent: Readonly<Record<string, unknown>>): PartialModelTerms {
  const fields = Object.entries(modelTermsSchema.shape).flatMap(([field, schema]) => {
    const read = schema.safeParse(sent[field]);
    return read.success && read.data !== undefined ? [[field, read.data]] : [];
  });
  return Object.fromEntries(fields);
}

function toModelDraft(draft: PartialModelTerms, name: string | undefined): ModelDraft {
  const { endpoint, auth_type: authType, credential, type, wire } = draft;
  return {
    name,
    endpoint,
    authType,
    type,
    wire,
    hasCredential: credential === undefined ? undefined : credential !== null,
  };
}

/** Lists only the first message for each field. */
function toValidationResponse(issues: readonly FieldMessage[], warnings: readonly FieldMessage[]) {
  const firstIssues = new Map<string, FieldMessage>();
  for (const issue of issues) if (!firstIssues.has(issue.param)) firstIssues.set(issue.param, issue);
  return {
    valid: firstIssues.size === 0,
    issues: [...firstIssues.values()],
    warnings: warnings.filter(({ param }) => !firstIssues.has(param)),
  };
}

export const modelValidationEndpoints: readonly Endpoint[] = [validateModel];
