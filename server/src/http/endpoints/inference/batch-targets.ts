import { openAiDialect } from "../../formats/openai/dialect.ts";
import type { Endpoint, InferenceEndpoint } from "../endpoint.ts";

/** What a batch can be sent to, by the names that clients give. */
export interface BatchTargets {
  find(name: string): InferenceEndpoint | undefined;
  names(): readonly string[];
}

/** The prefix of OpenAI's wire format without its version, which its clients leave out in a batch. */
const OPENAI_PREFIX = openAiDialect.prefix.replace(/\/v1$/, "");

/**
 * Whatever takes JSON at a fixed address and gives whole answers. `/v1/chat/completions` is OpenAI's own name for what is
 * under `/openai` here, and batches are in OpenAI's form: where both are there, its operation is meant.
 */
export function createBatchTargets(endpoints: readonly Endpoint[]): BatchTargets {
  const callable = new Map(
    endpoints.flatMap((endpoint) =>
      endpoint.kind === "inference" &&
      endpoint.whole !== undefined &&
      endpoint.bodyFormat === undefined &&
      !endpoint.path.includes(":")
        ? [[endpoint.path, endpoint] as const]
        : [],
    ),
  );
  return {
    find: (name) => callable.get(OPENAI_PREFIX + name) ?? callable.get(name),
    names() {
      const short = [...callable.keys()].map((path) =>
        path.startsWith(`${OPENAI_PREFIX}/`) ? path.slice(OPENAI_PREFIX.length) : path,
      );
      return [...new Set(short)].sort();
    },
  };
}
