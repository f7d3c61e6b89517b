import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATOR_KEY, type StartedService, startService } from "../../server/test/support/started-service.ts";
import { createClient } from "../src/client.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  [service, provider] = await Promise.all([startService(), startProvider()]);
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain", { streaming: true }));
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

/** A network that loses the first answer after the service has given it. */
function losingFetch(): typeof fetch {
  let calls = 0;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (++calls > 1) return response;
    await response.text();
    throw new TypeError("The connection was lost.");
  };
}

const balance = async () => (await service.call("GET", "/v1/balance")).json.balance;

it("a call whose answer was lost on the way is answered, run and charged once", async () => {
  const { length: before } = provider.calls;
  const start = await balance();
  const client = createClient({ baseUrl: service.url, key: OPERATOR_KEY, fetch: losingFetch() });
  expect(await client.generate({ input: "Hi", model: "plain" })).toMatchObject({ output: "A plain answer." });
  expect(provider.calls.length - before).toBe(1);
  const once = start - (await balance());
  expect(once).toBeGreaterThan(0);

  await createClient({ baseUrl: service.url, key: OPERATOR_KEY }).generate({ input: "Hi", model: "plain" });
  expect(start - (await balance())).toBeCloseTo(2 * once, 9);
});

it("so is a chat that is streamed", async () => {
  const { length: before } = provider.calls;
  const client = createClient({ baseUrl: service.url, key: OPERATOR_KEY, fetch: losingFetch() });
  let text = "";
  for await (const chunk of client.streamChat({ model: "plain", messages: [{ role: "user", content: "Hi" }] }))
    text += chunk.choices[0]?.delta.content ?? "";
  expect(text).toBe("A plain answer.");
  expect(provider.calls.length - before).toBe(1);
});
