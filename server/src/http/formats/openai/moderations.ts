import { setImmediate } from "node:timers/promises";
import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { Guard } from "@trunkline/guard/policy/guard.ts";
import { BALANCED, type SafetyPolicy } from "@trunkline/guard/policy/policy.ts";
import { evaluateLongText } from "@trunkline/guard/screen/evaluate-text.ts";
import { z } from "zod";
import { controlEndpoint } from "../../endpoints/endpoint.ts";
import { Field, fieldTable, stringField } from "../../requests/field-table.ts";
import { invalidField, readList, readObject, readString } from "../../requests/fields.ts";
import { MODEL_NAME_MAX } from "../../requests/read-routing-options.ts";
import { openAiDialect } from "./dialect.ts";

const TEXT_MAX = 400_000;
const INPUTS_MAX = 256;

/** The model name in the answer where the client sends none. */
const DEFAULT_MODEL_NAME = "trunkline-moderation";

/**
 * Our categories for each of OpenAI's: one of the lists must be found in full. A category without any list is not judged,
 * and the answer says so.
 */
const CATEGORIES: Readonly<Record<string, readonly (readonly SafetyCategory[])[]>> = {
  harassment: [["harassment"]],
  "harassment/threatening": [["harassment", "violence"]],
  hate: [["hate"]],
  "hate/threatening": [["hate", "violence"]],
  illicit: [["illicit"], ["unsafe_intent"]],
  "illicit/violent": [
    ["illicit", "violence"],
    ["unsafe_intent", "violence"],
  ],
  "self-harm": [["self_harm"]],
  // A request for instructions shows the intent, so these two are not distinguished.
  "self-harm/instructions": [["self_harm", "unsafe_intent"]],
  "self-harm/intent": [["self_harm", "unsafe_intent"]],
  sexual: [["sexual"], ["sexual_minors"]],
  "sexual/minors": [["sexual_minors"]],
  violence: [["violence"]],
  "violence/graphic": [],
};

/** Each text is judged on its own; the parts of one message are judged together. */
function readInputs(input: unknown, param: string): string[] {
  if (!Array.isArray(input)) return [readString(input, param, 1, TEXT_MAX)];
  if (input.length === 0) throw invalidField(param, `\`${param}\` must not be empty.`);
  if (typeof input[0] !== "object")
    return readList(input, param, INPUTS_MAX, (item, path) => readString(item, path, 0, TEXT_MAX));
  const texts = readList(input, param, INPUTS_MAX, (item, path) => {
    const { type, text } = readObject(item, path);
    if (type !== "text")
      throw invalidField(`${path}.type`, `\`${path}.type\` must be text: nothing else is judged here.`);
    return readString(text, `${path}.text`, 0, TEXT_MAX);
  });
  return [texts.join("\n")];
}

const textPart = z.object({ type: z.literal("text"), text: z.string() });

const moderations = fieldTable({
  input: new Field(
    readInputs,
    z.union([z.string(), z.array(z.string()).max(INPUTS_MAX), z.array(textPart).max(INPUTS_MAX)]),
  ),
  model: stringField(1, MODEL_NAME_MAX).nullish(),
});

/** The texts to judge, and the model's name, which is only given back. */
export function readModerations(body: unknown): { readonly model: string | undefined; readonly texts: string[] } {
  const fields = readObject(body, "");
  return { model: moderations.read.model(fields), texts: moderations.read.input(fields) };
}

/** `POST /openai/v1/moderations` */
export const moderationsEndpoint = controlEndpoint({
  method: "POST",
  path: "/openai/v1/moderations",
  permission: "inference.use",
  audit: null,
  status: 200,
  tag: "OpenAI",
  summary: "See what the safety check makes of texts, in OpenAI's form",
  description:
    "Not charged, and judged by this service itself, whatever `model` says; it is given back as it came. Images are not judged and refused. What of OpenAI's categories is not judged has an empty list in `category_applied_input_types`.",
  faults: [],
  dialect: openAiDialect,
  skipBodyValidation: true,
  body: moderations.schema.loose(),
  response: z.object({
    id: z.string(),
    model: z.string(),
    results: z.array(
      z.object({
        flagged: z.boolean(),
        categories: z.record(z.string(), z.boolean()),
        category_scores: z.record(z.string(), z.number().min(0).max(1)),
        category_applied_input_types: z.record(z.string(), z.array(z.literal("text"))),
      }),
    ),
  }),
  async handle({ services, body, request, caller }) {
    const { model, texts } = readModerations(body);
    const results = await moderateAll(services.guardFor(caller), texts);
    return { id: `modr-${request.id}`, model: model ?? DEFAULT_MODEL_NAME, results };
  },
});

async function moderateAll(guard: Guard, texts: readonly string[]) {
  const results = [];
  for (const text of texts) {
    results.push(toModerationResult(guard, await evaluateLongText(guard, text, "user")));
    // Many short texts take as long as a long one, so other requests get their turn in between.
    await setImmediate();
  }
  return results;
}

function toModerationResult(guard: Guard, { categories: own }: Verdict) {
  const entries = Object.entries(CATEGORIES);
  const isFound = (category: SafetyCategory) => (own[category] ?? 0) >= reportThreshold(guard.policy, category);
  const scoreOf = (together: readonly SafetyCategory[]) => Math.min(...together.map((category) => own[category] ?? 0));
  const categories = Object.fromEntries(
    entries.map(([name, signs]) => [name, signs.some((together) => together.every(isFound))]),
  );
  return {
    flagged: Object.values(categories).includes(true),
    categories,
    category_scores: Object.fromEntries(entries.map(([name, signs]) => [name, Math.max(0, ...signs.map(scoreOf))])),
    category_applied_input_types: Object.fromEntries(
      entries.map(([name, signs]) => [name, signs.length === 0 ? [] : ["text"]]),
    ),
  };
}

/** Where the policy never acts on a category, the balanced policy decides whether it is reported. */
function reportThreshold(policy: SafetyPolicy, category: SafetyCategory): number {
  return policy[category].reportAt ?? BALANCED[category].reportAt ?? 1;
}
