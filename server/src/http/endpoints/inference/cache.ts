import { z } from "zod";
import { control, type Endpoint } from "../endpoint.ts";

const dropCache = control({
  method: "DELETE",
  path: "/v1/cache",
  power: "cache.change",
  deed: { action: "cache.drop", details: (_visit, { dropped }) => ({ dropped }) },
  status: 200,
  tag: "Inference",
  summary: "Drop every answer that the account's response cache keeps",
  faults: [],
  answer: z.object({ dropped: z.number().describe("How many answers there were.") }),
  handle: async ({ house, caller }) => ({ dropped: await house.cache.drop(caller.accountId) }),
});

export const cacheEndpoints: readonly Endpoint[] = [dropCache];
