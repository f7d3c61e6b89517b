import { z } from "zod";
import type { SafetyCategory } from "../../safety/categories.ts";
import type { Guard } from "../../safety/guard.ts";
import { judgeLong } from "../../safety/judge-long.ts";
import { BALANCED, type SafetyPolicy } from "../../safety/policy.ts";
import { type Fields, invalid, readList, readObject, readString } from "../../validate/fields.ts";
import { control } from "../endpoint.ts";
import { openAiDialect } from "./dialect.ts";

const TEXT_MAX = 400_000;
const INPUTS_MAX = 256;

/** Which of our own categories tell of each of OpenAI's. Those that none tells of are not judged, and say so. */
const CATEGORIES: Readonly<Record<string, readonly SafetyCategory[]>> = {
  harassment: ["harassment"],
  "harassment/threatening": [],
  hate: ["hate"],
  "hate/threatening": [],
  illicit: ["illicit", "unsafe_intent"],
  "illicit/violent": [],
  "self-harm": ["self_harm"],
  "self-harm/instructions": [],
  "self-harm/intent": [],
  sexual: ["sexual", "sexual_minors"],
  "sexual/minors": ["sexual_minors"],
  violence: ["violence"],
  "violence/graphic": [],
};

const part = z.object({ type: z.literal("text"), text: z.string() });

/** `POST /openai/v1/moderations` */
export const moderations = control({
  method: "POST",
  path: "/openai/v1/moderations",
  power: "inference.use",
  deed: null,
  status: 200,
  tag: "OpenAI",
  summary: "See what the safety check makes of texts, in OpenAI's form",
  description:
    "Not charged, and judged by this service's own rules, whatever `model` says. Images are not judged and refused. What of OpenAI's categories is not judged has an empty list in `category_applied_input_types`.",
  faults: [],
  dialect: openAiDialect,
  bodyUnchecked: true,
  body: z.looseObject({
    input: z.union([z.string(), z.array(z.string()).max(INPUTS_MAX), z.array(part).max(INPUTS_MAX)]),
    model: z.string().nullish(),
  }),
  answer: z.object({
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
  handle: async ({ house, body, request, caller }) => ({
    id: `modr-${request.id}`,
    model: "trunkline-moderation",
    results: await judgeAll(house.guardFor(caller), readInputs(readObject(body, ""))),
  }),
});

/** Each text is judged on its own; the parts of one message are judged together. */
function readInputs({ input }: Fields): string[] {
  if (!Array.isArray(input)) return [readString(input, "input", 1, TEXT_MAX)];
  if (input.length === 0) throw invalid("input", "`input` must not be empty.");
  if (typeof input[0] !== "object")
    return readList(input, "input", INPUTS_MAX, (item, param) => readString(item, param, 0, TEXT_MAX));
  const texts = readList(input, "input", INPUTS_MAX, (item, param) => {
    const { type, text } = readObject(item, param);
    if (type !== "text")
      throw invalid(`${param}.type`, `\`${param}.type\` must be text: nothing else is judged here.`);
    return readString(text, `${param}.text`, 0, TEXT_MAX);
  });
  return [texts.join("\n")];
}

async function judgeAll(guard: Guard, texts: readonly string[]) {
  const results = [];
  for (const text of texts) results.push(await judge(guard, text));
  return results;
}

async function judge(guard: Guard, text: string) {
  const { categories: own } = await judgeLong(guard, text, "user");
  const entries = Object.entries(CATEGORIES);
  const isFlagged = (ours: readonly SafetyCategory[]) =>
    ours.some((category) => (own[category] ?? 0) >= markOf(guard.policy, category));
  const categories = Object.fromEntries(entries.map(([name, ours]) => [name, isFlagged(ours)]));
  return {
    flagged: Object.values(categories).includes(true),
    categories,
    category_scores: Object.fromEntries(
      entries.map(([name, ours]) => [name, Math.max(0, ...ours.map((category) => own[category] ?? 0))]),
    ),
    category_applied_input_types: Object.fromEntries(
      entries.map(([name, ours]) => [name, ours.length === 0 ? [] : ["text"]]),
    ),
  };
}

/** Where the policy never acts, somebody who asks is told by the plain meaning of the word all the same. */
function markOf(policy: SafetyPolicy, category: SafetyCategory): number {
  return policy[category].reportAt ?? BALANCED[category].reportAt ?? 1;
}
