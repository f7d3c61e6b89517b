import type { AuthType, Wire } from "@trunkline/core/model.ts";
import { COMPATIBLE_PROVIDERS } from "../formats/openai/compatible-providers.ts";

/** A well-known provider: its address, and the usual environment variables for its key. */
export interface KnownProvider {
  readonly id: string;
  readonly name: string;
  readonly wire: Wire;
  readonly authType: AuthType;
  /** A name in braces stands for an environment variable: some providers have an address per customer. */
  readonly baseUrl: string;
  /** The environment variables that usually hold its key, in order of preference. */
  readonly keyVariables: readonly string[];
  /** The environment variables that usually hold another base URL. */
  readonly baseVariables: readonly string[];
}

/** Providers that are not in the table of OpenAI-compatible ones. */
const OTHER_PROVIDERS: readonly KnownProvider[] = [
  {
    id: "anthropic",
    name: "Anthropic",
    wire: "anthropic",
    authType: "x-api-key",
    baseUrl: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_API_KEY"],
    baseVariables: ["ANTHROPIC_BASE_URL"],
  },
  {
    id: "google",
    name: "Google",
    wire: "gemini",
    authType: "x-api-key",
    baseUrl: "https://generativelanguage.googleapis.com",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    baseVariables: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
  },
  {
    id: "vertex",
    name: "Google Vertex AI",
    wire: "gemini",
    authType: "bearer",
    // The credential, or the variables, name the project and the location.
    baseUrl: "https://aiplatform.googleapis.com/v1/projects/-/locations/-/publishers/google",
    keyVariables: ["VERTEX_CREDENTIALS", "VERTEXAI_CREDENTIALS"],
    baseVariables: ["VERTEX_BASE_URL", "GOOGLE_VERTEX_BASE_URL"],
  },
  {
    id: "cohere",
    name: "Cohere",
    wire: "cohere",
    authType: "bearer",
    baseUrl: "https://api.cohere.com",
    keyVariables: ["COHERE_API_KEY", "CO_API_KEY"],
    baseVariables: ["COHERE_BASE_URL", "CO_API_URL"],
  },
  {
    id: "bedrock",
    name: "Amazon Bedrock",
    wire: "bedrock",
    authType: "bearer",
    baseUrl: "https://bedrock-runtime.{AWS_REGION}.amazonaws.com",
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    baseVariables: ["BEDROCK_BASE_URL", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
  },
];

/** OpenAI-compatible providers that do not run locally. Whether their prices are known is a separate question. */
const OPENAI_COMPATIBLE_PROVIDERS: readonly KnownProvider[] = COMPATIBLE_PROVIDERS.filter(
  ({ localPort }) => localPort === undefined,
).map(({ id, name, baseUrl, keyVariables, baseVariables }) => ({
  id,
  name,
  wire: "openai",
  authType: "bearer",
  baseUrl,
  keyVariables,
  baseVariables,
}));

/** Every provider that can be discovered by its key. */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = [...OPENAI_COMPATIBLE_PROVIDERS, ...OTHER_PROVIDERS];
