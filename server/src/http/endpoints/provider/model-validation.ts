import { Fault } from "@trunkline/core/fault.ts";
import { issuesOf } from "@trunkline/core/fault-of-issues.ts";
import type { ModelDraft } from "@trunkline/providers/catalogue/model-draft.ts";
import { z } from "zod";
import {
  modelName,
  modelPatch,
  modelRegistration,
  modelTerms,
  refuseUnpriced,
  termsOf,
} from "../../requests/model.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { type DraftTerms, type FieldNote, warningsOf } from "./model-warnings.ts";

const note = z.object({ param: z.string(), message: z.string() });
const priced = modelTerms.pick({ type: true, pricing: true }).superRefine(refuseUnpriced);
const WHOLE: readonly string[] = ["type", "endpoint", "pricing"];

const validateModel = control({
  method: "POST",
  path: "/v1/provider/models/validate",
  power: "provider.read",
  deed: null,
  status: 200,
  tag: "Providers",
  summary: "See what is wrong with a registration, without registering",
  description:
    "Takes the body of a registration, or of a change together with the `name` of a model of yours: with `?change=true`, or where type, endpoint or pricing are missing. `issues` would be refused; `warnings` would not.",
  faults: [],
  query: z.object({
    change: z.enum(["true", "false"]).optional().describe("Whether this is a change of a model you have."),
  }),
  body: modelTerms.partial().extend({ name: modelName.optional() }).loose(),
  bodyUnchecked: true,
  answer: z.object({ valid: z.boolean(), issues: z.array(note), warnings: z.array(note) }),
  async handle({ house, caller, body, query }) {
    const sent = objectOf(body);
    const name = modelName.safeParse(sent.name);
    const known =
      name.success && query.change !== "false"
        ? house.models
            .list(caller)
            .find((model) => model.provider === caller.provider && model.name === name.data)
        : undefined;
    const isChange =
      query.change === "true" || (known !== undefined && WHOLE.some((field) => sent[field] == null));
    if (isChange && known === undefined)
      return answerOf([{ param: "name", message: "You have no model of this name." }], []);
    const model = isChange ? known : undefined;
    const draft = draftOf(sent);
    const issues = [
      ...issuesIn(sent, isChange),
      ...(await house.models.examine(caller, wishOf(draft, name.data), termsOf(draft), model)),
    ];
    return answerOf(issues, warningsOf(draft, !isChange));
  },
});

function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  const read = z.record(z.string(), z.unknown()).safeParse(body);
  if (!read.success) throw new Fault("invalid_request", "The body must be a JSON object.");
  return read.data;
}

/** What the form of it is refused for. A missing price is told even while other fields are wrong. */
function issuesIn(sent: unknown, isChange: boolean): FieldNote[] {
  const schema = isChange ? modelPatch : modelRegistration;
  const whole = schema.safeParse(sent, { reportInput: true });
  if (whole.success) return [];
  const issues = issuesOf(whole.error);
  const price = isChange ? undefined : priced.safeParse(sent, { reportInput: true });
  return price?.error === undefined ? issues : [...issues, ...issuesOf(price.error)];
}

/** The fields that can be read, each by itself. */
function draftOf(sent: Readonly<Record<string, unknown>>): DraftTerms {
  const fields = Object.entries(modelTerms.shape).flatMap(([field, schema]) => {
    const read = schema.safeParse(sent[field]);
    return read.success && read.data !== undefined ? [[field, read.data]] : [];
  });
  return Object.fromEntries(fields);
}

function wishOf(draft: DraftTerms, name: string | undefined): ModelDraft {
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
function answerOf(issues: readonly FieldNote[], warnings: readonly FieldNote[]) {
  const told = new Map<string, FieldNote>();
  for (const issue of issues) if (!told.has(issue.param)) told.set(issue.param, issue);
  return {
    valid: told.size === 0,
    issues: [...told.values()],
    warnings: warnings.filter(({ param }) => !told.has(param)),
  };
}

export const modelValidationEndpoints: readonly Endpoint[] = [validateModel];
