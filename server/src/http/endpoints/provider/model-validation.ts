import { Fault } from "@trunkline/core/fault.ts";
import { listSchemaIssues } from "@trunkline/core/fault-of-issues.ts";
import type { ModelDraft } from "@trunkline/providers/catalogue/model-draft.ts";
import { z } from "zod";
import {
  modelNameSchema,
  modelTermsSchema,
  registerModelSchema,
  requirePrices,
  toModelChange,
  updateModelSchema,
} from "../../requests/model.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { type FieldMessage, modelWarnings, type PartialModelTerms } from "./model-warnings.ts";

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
        ? services.models
            .list(caller)
            .find((model) => model.provider === caller.provider && model.name === name.data)
        : undefined;
    const isChange =
      query.change === "true" ||
      (known !== undefined && REGISTRATION_FIELDS.some((field) => sent[field] == null));
    if (isChange && known === undefined)
      return toValidationResponse([{ param: "name", message: "You have no model of this name." }], []);
    const model = isChange ? known : undefined;
    const draft = readableFields(sent);
    const issues = [
      ...schemaIssuesIn(sent, isChange),
      ...(await services.models.validate(
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

/** What the form of it is refused for. A missing price is told even while other fields are wrong. */
function schemaIssuesIn(sent: unknown, isChange: boolean): FieldMessage[] {
  const schema = isChange ? updateModelSchema : registerModelSchema;
  const whole = schema.safeParse(sent, { reportInput: true });
  if (whole.success) return [];
  const issues = listSchemaIssues(whole.error);
  const price = isChange ? undefined : pricedModelSchema.safeParse(sent, { reportInput: true });
  return price?.error === undefined ? issues : [...issues, ...listSchemaIssues(price.error)];
}

/** The fields that can be read, each by itself. */
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

/** One note a field: the first says enough. */
function toValidationResponse(issues: readonly FieldMessage[], warnings: readonly FieldMessage[]) {
  const told = new Map<string, FieldMessage>();
  for (const issue of issues) if (!told.has(issue.param)) told.set(issue.param, issue);
  return {
    valid: told.size === 0,
    issues: [...told.values()],
    warnings: warnings.filter(({ param }) => !told.has(param)),
  };
}

export const modelValidationEndpoints: readonly Endpoint[] = [validateModel];
