import { countInput } from "@trunkline/core/quote.ts";
import { z } from "zod";
import { control, type Endpoint, type InferenceEndpoint } from "../../endpoints/endpoint.ts";
import { INFERENCE_FAULTS } from "../../endpoints/inference-faults.ts";
import { geminiDialect } from "./dialect.ts";
import { geminiModelEndpoints } from "./models.ts";
import { readCounted, readGenerate } from "./read-generate.ts";
import { showResponse } from "./response.ts";
import { countBody, generateBody, generated } from "./schema.ts";
import { streamResponse } from "./stream.ts";

/** The same operations under each version of the API that Google's clients name. */
const endpointsOf = (version: "v1beta" | "v1"): Endpoint[] => {
  const common = { dialect: geminiDialect, power: "inference.use", tag: "Gemini", takesMedia: true } as const;
  const generating = {
    ...common,
    kind: "inference",
    method: "POST",
    faults: INFERENCE_FAULTS,
    body: generateBody,
    answer: generated,
  } as const;

  const generate: InferenceEndpoint = {
    ...generating,
    path: `/gemini/${version}/models/*:generateContent`,
    summary: "Generate content, in Google's form",
    description:
      "Any model here may answer, whatever wire it speaks. Fields that nothing was made of are listed in the header `x-trunkline-dropped`.",
    read: (body, { params }) => readGenerate(body, modelIn(params), false),
    whole: showResponse,
  };

  const stream: InferenceEndpoint = {
    ...generating,
    path: `/gemini/${version}/models/*:streamGenerateContent`,
    summary: "Generate content, and read it as it comes, in Google's form",
    description: "With `?alt=sse` as server-sent events, otherwise as one JSON list.",
    query: z.object({ alt: z.enum(["sse", "json"]).optional() }),
    read: (body, { params }) => readGenerate(body, modelIn(params), true),
    stream: ({ query }, journal) => streamResponse(journal, asksForEvents(query)),
  };

  const count = control({
    ...common,
    method: "POST",
    path: `/gemini/${version}/models/*:countTokens`,
    deed: null,
    status: 200,
    summary: "Estimate how many tokens contents have",
    description:
      "Our own count, the one that requests are quoted by: an estimate, within about a tenth of most tokenizers. Nobody is called and nothing is charged.",
    faults: [],
    body: countBody,
    bodyUnchecked: true,
    answer: z.object({ totalTokens: z.number() }),
    handle: async ({ body }) => ({ totalTokens: countInput(readCounted(body)) }),
  });

  return [generate, stream, count, ...geminiModelEndpoints(version)];
};

/** What stands before the last colon: a model's name may hold slashes and colons of its own. */
function modelIn(params: Readonly<Record<string, string>>): string {
  const named = params["*"] ?? "";
  return named.slice(0, named.lastIndexOf(":"));
}

function asksForEvents(query: unknown): boolean {
  return typeof query === "object" && query !== null && "alt" in query && query.alt === "sse";
}

export const geminiEndpoints: readonly Endpoint[] = [...endpointsOf("v1beta"), ...endpointsOf("v1")];
