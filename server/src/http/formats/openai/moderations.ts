import { setImmediate } from "node:timers/promises";
import type { SafetyCategory } from "@trunkline/core/safety-policy.ts";
import type { Verdict } from "@trunkline/core/verdict.ts";
import type { Guard } from "@trunkline/guard/policy/guard.ts";
import { BALANCED, type SafetyPolicy } from "@trunkline/guard/policy/policy.ts";
import { evaluateLongText } from "@trunkline/guard/screen/evaluate-text.ts";
import { z } from "zod";
import { controlEndpoint } from "../../endpoints/endpoint.ts";
import { type Fields, invalidField, readList, readObject, readOptional, readString } from "../../requests/fields.ts";
import { openAiDialect } from "./dialect.ts";

const TEXT_MAX = 400_000;
const INPUTS_MAX = 256;

/** What answers where the client names no model. */
const DEFAULT_MODEL_NAME = "trunkline-moderation";
const NAME_MAX = 256;

/**
 * What tells of each of OpenAI's categories: any of these, where those that stand together must all be found. Those that
 * nothing tells of are not judged, and say so.
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
  // Whoever asks for a way wants one: these two are not told apart.
  "self-harm/instructions": [["self_harm", "unsafe_intent"]],
  "self-harm/intent": [["self_harm", "unsafe_intent"]],
  sexual: [["sexual"], ["sexual_minors"]],
  "sexual/minors": [["sexual_minors"]],
  violence: [["violence"]],
  "violence/graphic": [],
};

const textPart = z.object({ type: z.literal("text"), text: z.string() });

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
  body: z.looseObject({
    input: z.union([z.string(), z.array(z.string()).max(INPUTS_MAX), z.array(textPart).max(INPUTS_MAX)]),
    model: z.string().nullish(),
  }),
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
    const fields = readObject(body, "");
    const model = readOptional(fields.model, (name) => readString(name, "model", 1, NAME_MAX));
    const results = await moderateAll(services.guardFor(caller), readInputs(fields));
    return { id: `modr-${request.id}`, model: model ?? DEFAULT_MODEL_NAME, results };
  },
});

/** Each text is judged on its own; the parts of one message are judged together. */
function readInputs({ input }: Fields): string[] {
  if (!Array.isArray(input)) return [readString(input, "input", 1, TEXT_MAX)];
  if (input.length === 0) throw invalidField("input", "`input` must not be empty.");
  if (typeof input[0] !== "object")
    return readList(input, "input", INPUTS_MAX, (item, param) => readString(item, param, 0, TEXT_MAX));
  const texts = readList(input, "input", INPUTS_MAX, (item, param) => {
    const { type, text } = readObject(item, param);
    if (type !== "text")
      throw invalidField(`${param}.type`, `\`${param}.type\` must be text: nothing else is judged here.`);
    return readString(text, `${param}.text`, 0, TEXT_MAX);
  });
  return [texts.join("\n")];
}

async function moderateAll(guard: Guard, texts: readonly string[]) {
  const results = [];
  for (const text of texts) {
    results.push(toModerationResult(guard, await evaluateLongText(guard, text, "user")));
    // Many short texts are a long one: others have their turn in between.
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

/** Where the policy never acts, somebody who asks is told by the plain meaning of the word all the same. */
function reportThreshold(policy: SafetyPolicy, category: SafetyCategory): number {
  return policy[category].reportAt ?? BALANCED[category].reportAt ?? 1;
}
