import { storableText } from "@trunkline/core/field-schemas.ts";
import { z } from "zod";
import {
  type GuardrailHook,
  HOOK_FAILURE_MODES,
  HOOK_SIDES,
  HOOK_STREAM_MODES,
  SECTION_CHARACTERS,
} from "../../../guardrails/guardrail-hook.ts";
import { listPage, pageQuery, pageResponseSchema } from "../../responses/list-response.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const DEFAULT_TIMEOUT_MS = 2_000;

const hookFields = {
  url: storableText(z.string().max(2_048)).describe("What is asked, by POST."),
  sides: z
    .array(z.enum(HOOK_SIDES))
    .min(1)
    .max(HOOK_SIDES.length)
    .optional()
    .describe("Whether it is asked about requests, answers, or both. Absent: both."),
  timeout_ms: z
    .number()
    .int()
    .min(50)
    .max(30_000)
    .optional()
    .describe(`How long a request waits for it. Absent: ${DEFAULT_TIMEOUT_MS}.`),
  on_failure: z
    .enum(HOOK_FAILURE_MODES)
    .optional()
    .describe("Where it does not answer in time, or not with a decision. Absent: `refuse`."),
  stream: z
    .enum(HOOK_STREAM_MODES)
    .optional()
    .describe(
      "What it is asked about a streamed answer: `whole`, all of it at once, or `sections`, one after the other while it is streamed. Absent: `whole`.",
    ),
  section_characters: z
    .number()
    .int()
    .min(SECTION_CHARACTERS.least)
    .max(SECTION_CHARACTERS.most)
    .optional()
    .describe(
      `With \`sections\`: a section ends with the first sentence or line that ends after this many characters, and has at most twice as many. Absent: ${SECTION_CHARACTERS.usual}.`,
    ),
  description: storableText(z.string().trim().max(256)).optional(),
};

const createHookSchema = z.object(hookFields);
const updateHookSchema = z.object({
  ...hookFields,
  url: hookFields.url.optional(),
  enabled: z.boolean().optional().describe("Whether it is asked."),
});

/** A hook as its owner sees it, without the secret. */
const hookResponseSchema = z.object({
  id: z.string(),
  url: z.string(),
  sides: z.array(z.enum(HOOK_SIDES)),
  timeout_ms: z.number(),
  on_failure: z.enum(HOOK_FAILURE_MODES),
  stream: z.enum(HOOK_STREAM_MODES),
  section_characters: z.number(),
  description: z.string(),
  enabled: z.boolean(),
  created_at: z.string(),
});

const secretField = z.string().describe("What calls are signed with. Shown this once.");

function toHookResponse(hook: GuardrailHook): z.infer<typeof hookResponseSchema> {
  return {
    id: hook.id,
    url: hook.url,
    sides: [...hook.sides],
    timeout_ms: hook.timeoutMs,
    on_failure: hook.onFailure,
    stream: hook.stream,
    section_characters: hook.sectionCharacters,
    description: hook.description,
    enabled: hook.enabled,
    created_at: hook.createdAt.toISOString(),
  };
}

/** The audit log gets only the host: the rest of a URL is often a secret. */
function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

const createHook = controlEndpoint({
  method: "POST",
  path: "/v1/guardrail-hooks",
  permission: "webhooks.change",
  audit: { action: "guardrail_hook.create", nameOf: (_context, result) => hostOf(result.url) },
  status: 201,
  tag: "Guardrail hooks",
  summary: "Have a service of your own judge requests and answers",
  description:
    "The URL must be `https` on a public address; a key with the scope `admin` may name `http` and private addresses. At most 3 an account, asked one after the other. Holds within a second.",
  faults: ["conflict"],
  body: createHookSchema,
  response: hookResponseSchema.extend({ secret: secretField }),
  async handle({ services, caller, body }) {
    const { hook, secret } = await services.guardrailHooks.create(caller, {
      url: body.url,
      sides: body.sides ?? HOOK_SIDES,
      timeoutMs: body.timeout_ms ?? DEFAULT_TIMEOUT_MS,
      onFailure: body.on_failure ?? "refuse",
      stream: body.stream ?? "whole",
      sectionCharacters: body.section_characters ?? SECTION_CHARACTERS.usual,
      description: body.description ?? "",
    });
    services.identity.keyring.invalidate();
    return { ...toHookResponse(hook), secret };
  },
});

const listHooks = controlEndpoint({
  method: "GET",
  path: "/v1/guardrail-hooks",
  permission: "webhooks.read",
  status: 200,
  tag: "Guardrail hooks",
  summary: "List the account's guardrail hooks",
  faults: [],
  query: pageQuery,
  response: pageResponseSchema(hookResponseSchema),
  handle: ({ services, caller, query }) =>
    listPage(query, (limit, cursor) => services.guardrailHooks.list(caller, limit, cursor), toHookResponse),
});

const readHook = controlEndpoint({
  method: "GET",
  path: "/v1/guardrail-hooks/:id",
  permission: "webhooks.read",
  status: 200,
  tag: "Guardrail hooks",
  summary: "Read a guardrail hook",
  faults: ["not_found"],
  response: hookResponseSchema,
  handle: async ({ services, caller, params }) =>
    toHookResponse(await services.guardrailHooks.find(caller, params.id ?? "")),
});

const changeHook = controlEndpoint({
  method: "PATCH",
  path: "/v1/guardrail-hooks/:id",
  permission: "webhooks.change",
  audit: {
    action: "guardrail_hook.change",
    nameOf: (_context, result) => hostOf(result.url),
    details: (_context, { enabled, on_failure, sides, stream }) => ({ enabled, on_failure, sides, stream }),
  },
  status: 200,
  tag: "Guardrail hooks",
  summary: "Change a guardrail hook",
  description: "What is not given stays. A URL of another origin gets a new secret, shown this once.",
  faults: ["not_found"],
  body: updateHookSchema,
  response: hookResponseSchema.extend({ secret: secretField.optional() }),
  async handle({ services, caller, params, body }) {
    const { hook, secret } = await services.guardrailHooks.change(caller, params.id ?? "", {
      ...(body.url === undefined ? {} : { url: body.url }),
      ...(body.sides === undefined ? {} : { sides: body.sides }),
      ...(body.timeout_ms === undefined ? {} : { timeoutMs: body.timeout_ms }),
      ...(body.on_failure === undefined ? {} : { onFailure: body.on_failure }),
      ...(body.stream === undefined ? {} : { stream: body.stream }),
      ...(body.section_characters === undefined ? {} : { sectionCharacters: body.section_characters }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
    });
    services.identity.keyring.invalidate();
    return { ...toHookResponse(hook), ...(secret === undefined ? {} : { secret }) };
  },
});

const deleteHook = controlEndpoint({
  method: "DELETE",
  path: "/v1/guardrail-hooks/:id",
  permission: "webhooks.change",
  audit: { action: "guardrail_hook.delete" },
  status: 204,
  tag: "Guardrail hooks",
  summary: "Delete a guardrail hook",
  faults: ["not_found"],
  response: z.null(),
  async handle({ services, caller, params }) {
    await services.guardrailHooks.remove(caller, params.id ?? "");
    services.identity.keyring.invalidate();
    return null;
  },
});

const testHook = controlEndpoint({
  method: "POST",
  path: "/v1/guardrail-hooks/:id/test",
  permission: "webhooks.change",
  audit: { action: "guardrail_hook.test" },
  status: 200,
  tag: "Guardrail hooks",
  summary: "Ask a guardrail hook about a sample text now",
  description: "Also where it is switched off. Answers with what was understood of its decision.",
  faults: ["not_found"],
  response: z.object({
    action: z.enum(["allow", "refuse", "redact", "failed"]),
    reason: z.string().nullable().describe("Why it refused, or why it failed."),
    annotations: z.record(z.string(), z.string()),
  }),
  async handle({ services, caller, params, signal }) {
    const decision = await services.guardrailHooks.sendTest(caller, params.id ?? "", signal);
    const reason =
      decision.action === "failed" ? decision.why : decision.action === "refuse" ? decision.reason : undefined;
    const annotations = decision.action === "failed" ? {} : decision.annotations;
    return { action: decision.action, reason: reason ?? null, annotations };
  },
});

export const guardrailHookEndpoints: readonly Endpoint[] = [
  createHook,
  listHooks,
  readHook,
  changeHook,
  deleteHook,
  testHook,
];
