import {
  answerPlainly,
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

const fails: Script = (response) => void response.writeHead(500).end("{}");
const refuses: Script = (response) => void response.writeHead(401).end('{"error":{"message":"No."}}');

let first: StartedService;
let provider: ScriptedProvider;
let name: string;
let registered = 0;

beforeAll(async () => {
  first = await startService();
  provider = await startProvider();
});

beforeEach(async () => {
  provider.script = answerPlainly;
  name = `model-${++registered}`;
  const made = await first.call("POST", "/v1/provider/models", registrationOf(provider, name));
  expect(made.status, made.text).toBe(201);
});

afterAll(async () => {
  await first.stop();
  await provider.stop();
});

const ask = (service: StartedService) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: name });
const healthOn = async (service: StartedService) =>
  (await service.call("GET", `/v1/provider/models/${name}`)).json.health;
const breakerOn = async (service: StartedService) => (await healthOn(service)).breaker;

async function withSibling(work: (sibling: StartedService) => Promise<void>): Promise<void> {
  const sibling = await startSibling(first);
  try {
    await expect.poll(() => sibling.services.providers.catalogue.byName(name)).not.toEqual([]);
    await work(sibling);
  } finally {
    await sibling.stop();
  }
}

describe("what one instance learnt", () => {
  it("is known to the next after a restart", async () => {
    let before: unknown;
    await withSibling(async (sibling) => {
      for (let call = 0; call < 9; call++) expect((await ask(sibling)).status).toBe(200);
      before = await healthOn(sibling);
    });
    await withSibling(async (sibling) => {
      expect(before).toMatchObject({ calls: 9, latency_p95_ms: expect.any(Number) });
      const after = await healthOn(sibling);
      expect({ ...after, latency_ms: 0 }).toEqual({ ...Object(before), latency_ms: 0 });
      expect(after.latency_ms).toBeCloseTo(Object(before).latency_ms);
    });
  });

  it("keeps a sibling from calling an endpoint that was taken out, and lets it call one that came back", async () => {
    await withSibling(async (sibling) => {
      provider.script = fails;
      for (let call = 0; call < 5; call++) expect((await ask(first)).status).toBe(502);
      await expect.poll(() => breakerOn(sibling)).toBe("open");
      // A lone model may have been tried twice, as far as the account's retries reached.
      expect((await healthOn(sibling)).calls).toBeGreaterThanOrEqual(5);
      provider.script = answerPlainly;
      expect((await ask(first)).status).toBe(200);
      await expect.poll(() => breakerOn(sibling)).toBe("ramping");
    });
  });

  it("of a credential that is refused holds on all, until one sees that it is not any more", async () => {
    await withSibling(async (sibling) => {
      provider.script = refuses;
      await ask(first);
      await expect.poll(async () => (await healthOn(sibling)).outage?.why).toBe("credential");
      provider.script = answerPlainly;
      expect((await ask(sibling)).status).toBe(200);
      await expect.poll(async () => (await healthOn(first)).outage).toBeNull();
    });
  });

  it("of a refused credential is tried again after a start, as the start may bring a new one", async () => {
    provider.script = refuses;
    await ask(first);
    await first.services.lifecycle.backgroundWork.whenIdle();
    await expect
      .poll(async () => {
        let breaker: string | undefined;
        await withSibling(async (sibling) => {
          breaker = await breakerOn(sibling);
        });
        return breaker;
      })
      .toBe("half-open");
  });
});
