import type { DataClaim } from "@trunkline/core/data-rules.ts";

/**
 * What providers have published of what becomes of the data of API requests, where it holds for every customer without an
 * agreement. Providers that are not listed, or whose terms depend on the model or the contract, claim nothing until the
 * operator says so.
 */
export const DOCUMENTED_CLAIMS: ReadonlyMap<string, DataClaim> = new Map([
  [
    "fireworks",
    {
      regions: undefined,
      retentionDays: 0,
      source: "https://docs.fireworks.ai/guides/security_compliance/data_handling",
      isDocumented: true,
    },
  ],
  [
    "openai",
    {
      regions: undefined,
      retentionDays: 30,
      source: "https://platform.openai.com/docs/guides/your-data",
      isDocumented: true,
    },
  ],
]);
