import { isObject } from "@trunkline/core/json-object.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { readEmbeddings } from "../formats/native/response.ts";
import { answersInText, type Check, type Finding, fail, type PlainAnswer, pass, warn } from "./check.ts";
import { type ConformanceTarget, jsonTypeOf, quote } from "./endpoint-client.ts";

const RECOMMENDED_LATENCY_MS = 500;

/** A check of the plain answer only. */
function plainCheck(
  name: string,
  judge: (plain: PlainAnswer, target: ConformanceTarget) => Finding,
  appliesTo: Check["appliesTo"] = () => true,
): Check {
  return { name, appliesTo, run: async (endpointClient, plain) => [judge(plain, endpointClient.target)] };
}

const outputForm = plainCheck("output-form", ({ body }, target) => {
  const problem = outputProblem(body.output, target);
  if (problem === undefined) return pass("output-form", `The output has the form of ${target.type} models.`);
  return fail("output-form", `${problem} Answer with ${EXPECTED_OUTPUT[target.type]}.`);
});

const EXPECTED_OUTPUT: Record<ConformanceTarget["type"], string> = {
  text: '`"output": "the text"`',
  image: '`"output": {"image_url": "https://… or data:…"}`',
  audio: '`"output": {"audio_url": "https://… or data:…"}`',
  multimodal: '`"output"` as a text, or as an object with `image_url` or `audio_url`',
  embedding: '`"output": {"embedding": [0.1, …]}`',
};

function outputProblem(output: unknown, { type }: ConformanceTarget): string | undefined {
  if (type === "embedding") return embeddingProblem(output);
  if (type === "text" || (type === "multimodal" && !isObject(output))) {
    if (typeof output !== "string") return `The output is ${jsonTypeOf(output)}, a text was expected.`;
    return output === "" ? "The output is empty." : undefined;
  }
  if (!isObject(output)) return `The output is ${jsonTypeOf(output)}, an object was expected.`;
  const field = type === "multimodal" ? ("image_url" in output ? "image" : "audio") : type;
  const url = output[`${field}_url`];
  if (typeof url !== "string") return `\`output.${field}_url\` is ${jsonTypeOf(url)}, a URL was expected.`;
  // A data URL can be megabytes long, so it is recognised by its start.
  if (/^data:./i.test(url) || (/^https?:/i.test(url) && URL.canParse(url))) return undefined;
  return `\`output.${field}_url\` is not an https or data URL.`;
}

/** Read as real answers are, so that everything that passes here works there. */
function embeddingProblem(output: unknown): string | undefined {
  try {
    readEmbeddings(output, 1);
    return undefined;
  } catch (error) {
    if (error instanceof ProviderFailure) return `There is no vector: ${error.reason}.`;
    throw error;
  }
}

const usage = plainCheck(
  "usage",
  ({ body }) => {
    if (body.usage === undefined || body.usage === null) {
      return warn(
        "usage",
        "There is no `usage`, so that tokens will be counted for you. Answer with `input_tokens` and `output_tokens`.",
      );
    }
    const problem = usageProblem(body.usage);
    return problem === undefined
      ? pass("usage", "The usage is reported in whole numbers.")
      : fail("usage", `${problem} Report the tokens that were really used.`);
  },
  answersInText,
);

/** What is wrong with a usage object; undefined where it is plausible. */
export function usageProblem(usageSeen: unknown): string | undefined {
  if (!isObject(usageSeen)) return `\`usage\` is ${jsonTypeOf(usageSeen)}, an object was expected.`;
  for (const field of ["input_tokens", "output_tokens"] as const) {
    const value = usageSeen[field];
    if (typeof value !== "number") return `\`usage.${field}\` is ${jsonTypeOf(value)}, a number was expected.`;
    if (!Number.isSafeInteger(value) || value < 0) {
      return `\`usage.${field}\` is ${value}, a whole number of at least 0 was expected.`;
    }
  }
  if (usageSeen.input_tokens === 0) return "`usage.input_tokens` is 0, although there was an input.";
  const { input_tokens: input, cached_input_tokens: cached } = usageSeen;
  if (cached === undefined || cached === null) return undefined;
  return Number.isSafeInteger(cached) && Number(cached) >= 0 && Number(cached) <= Number(input)
    ? undefined
    : "`usage.cached_input_tokens` is not a whole number from 0 to `usage.input_tokens`.";
}

const seconds = plainCheck(
  "seconds",
  ({ body }) =>
    typeof secondsOf(body) === "number" && Number(secondsOf(body)) >= 0
      ? pass("seconds", "The length of the audio is reported.")
      : fail("seconds", "`usage.seconds` is not a number of at least 0. Report how long the audio is."),
  (_target, { body }) => secondsOf(body) !== undefined,
);

function secondsOf({ usage: seen }: PlainAnswer["body"]): unknown {
  return isObject(seen) ? (seen.seconds ?? undefined) : undefined;
}

const latencyReported = plainCheck("latency-reported", ({ body: { latency_ms: latencyMs } }) => {
  if (latencyMs === undefined || latencyMs === null) {
    return warn("latency-reported", "There is no `latency_ms`. Report how many milliseconds the answer took.");
  }
  return typeof latencyMs === "number" && latencyMs >= 0
    ? pass("latency-reported", "The latency is reported.")
    : fail(
        "latency-reported",
        `\`latency_ms\` is ${typeof latencyMs === "number" ? latencyMs : jsonTypeOf(latencyMs)}, a number of milliseconds was expected.`,
      );
});

const latency = plainCheck("latency", ({ answer, body }) => {
  const reportedMs = typeof body.latency_ms === "number" ? body.latency_ms : 0;
  const ms = Math.round(Math.max(answer.ms, reportedMs));
  return ms <= RECOMMENDED_LATENCY_MS
    ? pass("latency", `The answer took ${ms} ms.`)
    : warn(
        "latency",
        `The answer took ${ms} ms. Keep it under ${RECOMMENDED_LATENCY_MS} ms where you can: faster models are chosen more often.`,
      );
});

const contentType = plainCheck("content-type", ({ answer: { contentType: seen } }) => {
  if (seen !== undefined && /^application\/json\s*(;|$)/i.test(seen)) {
    return pass("content-type", "The answer is declared as JSON.");
  }
  const what = seen === undefined ? "has no content type" : `is declared as ${quote(seen)}`;
  return warn("content-type", `The answer ${what}. Send \`Content-Type: application/json\`.`);
});

/** Checks that need no further request. */
export const PLAIN_CHECKS: readonly Check[] = [outputForm, usage, seconds, latencyReported, latency, contentType];
