import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let sibling: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

beforeAll(async () => {
  service = await startService();
  sibling = await startSibling(service);
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});

beforeEach(async () => {
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await sibling.stop();
  await service.stop();
  await provider.stop();
});

const CACHE = { ttl: 60 };
const ask = (more: Record<string, unknown>, at: StartedService = service) =>
  at.call(
    "POST",
    "/v1/generate",
    { model: "plain", input: "What is the capital of France?", ...more },
    { key: customer.key },
  );
const cacheOf = (answer: { headers: Headers }) => answer.headers.get("x-trunkline-cache");

describe("a question that is much alike", () => {
  const SIMILAR = { ttl: 60, similarity: true };

  it("gets the same answer where the client asks for that, with how alike it is", async () => {
    const first = await ask({ cache: SIMILAR });
    expect(cacheOf(first)).toBe("miss");
    await expect
      .poll(async () => cacheOf(await ask({ input: "What's the capital of France?", cache: SIMILAR }, sibling)))
      .toMatch(/^hit; age=\d; match=similar; similarity=0\.97\d$/);
    expect(cacheOf(await ask({ input: "What's the capital of France?", cache: CACHE }))).toBe("miss");
  });

  it.each([
    ["a name", "What is the capital of Finland?"],
    ["a number", "What is the capital of France 2?"],
    ["a negation", "What is not the capital of France?"],
    ["a piece of code", "What is the capital of `France`?"],
  ])("does not where %s differs", async (_what, input) => {
    await ask({ cache: SIMILAR });
    await expect.poll(async () => cacheOf(await ask({ cache: SIMILAR }, sibling))).toMatch(/^hit/);
    expect(cacheOf(await ask({ input, cache: { ttl: 60, similarity: 0.8 } }))).toBe("miss");
  });
});
