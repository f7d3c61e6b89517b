import {
  answerPlainly,
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { chatAnswer, keyIn, refusal, startWithOpenAi } from "../support/openai-upstream.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { startSibling } from "../support/started-service.ts";
import { startWebhookTrial, type WebhookTrial } from "../support/webhook-trial.ts";

const refusesWith: (status: number) => Script = (status) => (response) =>
  void response.writeHead(status).end('{"error":{"message":"No."}}');

describe("a model whose provider refuses us", () => {
  let trial: WebhookTrial;
  let provider: ScriptedProvider;
  let owner: Customer;

  beforeAll(async () => {
    trial = await startWebhookTrial();
    provider = await startProvider();
    owner = await openCustomer(trial.service, 0);
    await trial.listenAs(owner, { events: ["model.out_of_service", "model.back_in_service"] });
    await registerAsOtherAccount(trial.service, owner, registrationOf(provider, "theirs"), "active");
    await trial.listen();
    const made = await trial.service.call("POST", "/v1/provider/models", registrationOf(provider, "ours"));
    expect(made.status, made.text).toBe(201);
  });

  beforeEach(() => {
    provider.script = answerPlainly;
    trial.receiver.events.length = 0;
  });

  afterAll(async () => {
    await trial.stop();
    await provider.stop();
  });

  const ask = (model: string, service = trial.service) =>
    service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model });
  const shown = async () =>
    (await trial.service.call("GET", "/v1/provider/models/theirs", undefined, { key: owner.key })).json;
  const told = () => trial.receiver.events.map(({ json }) => [json.type, json.data.why ?? null]);

  it("is out of service at once, and its owner is notified once, whichever account calls it", async () => {
    provider.script = refusesWith(401);
    for (let call = 0; call < 3; call++) expect((await ask(`${owner.provider}/theirs`)).status).toBe(502);
    const sibling = await startSibling(trial.service);
    expect((await ask(`${owner.provider}/theirs`, sibling)).status).toBe(502);
    await expect.poll(told).toEqual([["model.out_of_service", "credential"]]);
    const [event] = trial.receiver.events;
    expect(event?.json.data).toEqual({
      model: `${owner.provider}/theirs`,
      model_id: expect.any(String),
      why: "credential",
      reason: "the provider refused the credential",
      since: expect.stringMatching(/Z$/),
    });
    await sibling.stop();
    expect((await shown()).health).toMatchObject({
      available: expect.any(Boolean),
      outage: { why: "credential", reason: "the provider refused the credential" },
    });
    const listed = await trial.service.call("GET", "/v1/models/theirs");
    expect(listed.json.providers[0].live).toMatchObject({
      state: "out of service",
      out_of_service_since: expect.stringMatching(/Z$/),
    });
    expect(told()).toHaveLength(1);
  });

  it("is tried again as soon as its owner changed it, and its owner hears that it is back", async () => {
    const answer = await trial.service.call(
      "PATCH",
      "/v1/provider/models/theirs",
      { description: "Mended." },
      { key: owner.key },
    );
    expect(answer.json.health).toMatchObject({ available: true, breaker: "half-open" });
    expect((await ask(`${owner.provider}/theirs`)).status).toBe(200);
    await expect.poll(told).toEqual([["model.back_in_service", null]]);
    expect((await shown()).health).toMatchObject({ breaker: "ramping", outage: null });
  });

  it("of the operator's is reported to the operator, with that nothing is paid for", async () => {
    provider.script = refusesWith(402);
    await ask("ours");
    await expect.poll(told).toEqual([["model.out_of_service", "funds"]]);
  });

  it("comes back by a check that passes", async () => {
    provider.script = (response, call) =>
      typeof call.body?.input === "string" ? answerPlainly(response, call) : refusesWith(400)(response, call);
    const check = await trial.service.call("POST", "/v1/provider/models/ours/check");
    expect(check.json, check.text).toMatchObject({ passed: true });
    await expect.poll(told).toEqual([["model.back_in_service", null]]);
  });

  it("is not out for what may be forbidden in one request alone", async () => {
    provider.script = refusesWith(403);
    await ask("ours");
    const { json } = await trial.service.call("GET", "/v1/provider/models/ours");
    expect(json.health.outage).toBeNull();
  });
});

describe("an account's own key that is refused", () => {
  it("takes nothing out for others, whatever is said of it and however often", async () => {
    const theirs = "sk-the-customers-own-key-9876";
    const { upstream, service } = await startWithOpenAi({ OPENAI_API_KEY: "sk-the-operators-own-key" });
    const owner = await openCustomer(service, 1);
    const other = await openCustomer(service, 1);
    const ask = (customer: Customer) =>
      service.call("POST", "/v1/generate", { model: "openai/gpt-4o", input: "Hello" }, { key: customer.key });
    await service.call("POST", "/v1/provider-keys", { provider: "openai", key: theirs }, { key: owner.key });
    for (const status of [401, 402, 403, 429, 500]) {
      upstream.answer((request) => (keyIn(request) === theirs ? refusal(status, request) : chatAnswer("Hello.")));
      for (let call = 0; call < 6; call++) expect((await ask(owner)).status).toBe(502);
    }
    const [shared] = service.services.providers.catalogue.byName("openai/gpt-4o");
    expect(service.services.providers.health.of(shared?.id ?? "")).toMatchObject({
      calls: 0,
      state: "closed",
      errorRate: 0,
    });
    expect((await ask(other)).status).toBe(200);
    // Nor is its own account kept waiting once it is good again.
    upstream.answer(() => chatAnswer("Hello."));
    expect((await ask(owner)).status).toBe(200);
    await service.stop();
    await upstream.close();
  });
});
