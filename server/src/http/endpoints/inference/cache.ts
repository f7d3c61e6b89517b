import { z } from "zod";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const clearCache = controlEndpoint({
  method: "DELETE",
  path: "/v1/cache",
  permission: "cache.change",
  audit: { action: "cache.drop", details: (_visit, { dropped }) => ({ dropped }) },
  status: 200,
  tag: "Inference",
  summary: "Drop every answer that the account's response cache keeps",
  faults: [],
  response: z.object({ dropped: z.number().describe("How many answers there were.") }),
  handle: async ({ services, caller }) => ({ dropped: await services.cache.clear(caller.accountId) }),
});

export const cacheEndpoints: readonly Endpoint[] = [clearCache];
