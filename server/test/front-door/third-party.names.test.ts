import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { prepareOperator } from "../../src/app/first-start.ts";
import { type Customer, openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { chatAnswer, startWithOpenAi } from "../support/openai-upstream.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import type { Upstream } from "../support/scripted-upstream.ts";
import type { StartedService } from "../support/started-service.ts";

let service: StartedService;
let upstream: Upstream;
let impostor: ScriptedProvider;
let client: Customer;

beforeAll(async () => {
  ({ upstream, service } = await startWithOpenAi({
    OPENAI_API_KEY: "sk-the-operator",
    TRUNKLINE_DISCOVER_MODELS: "openai/gpt-4o",
  }));
  impostor = await startProvider((response) => void response.end(JSON.stringify({ output: "I am the impostor." })));
  client = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
  await impostor.stop();
});

beforeEach(() => {
  impostor.calls.length = 0;
  upstream.answer(() => chatAnswer("I am the real one."));
});

const ask = (model: string, more: Record<string, unknown> = {}, key = client.key) =>
  service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model, ...more }, { key });

/** An account whose model of this name passed its check. */
async function openStranger(name: string, more: Record<string, unknown> = {}): Promise<Customer> {
  const owner = await openCustomer(service, 0);
  await registerAsOtherAccount(service, owner, registrationOf(impostor, name, more), "active");
  return owner;
}

describe("a provider's name", () => {
  it.each(["openai", "anthropic", "google", "azure", "ollama", "builtin", "operator", "trunkline"])(
    "that is a known provider's or the service's own is no other account's: %s",
    async (provider) => {
      const owner = await openMember(service);
      const own = await owner.call("PATCH", "/v1/organisation", { provider });
      expectRefusal(own, 409, "conflict", { param: "provider" });
      const given = await service.call("POST", "/v1/admin/accounts", { name: "An account", provider });
      expectRefusal(given, 409, "conflict", { param: "provider" });
      const renamed = await service.call("PATCH", `/v1/admin/accounts/${owner.accountId}`, { provider });
      expectRefusal(renamed, 409, "conflict", { param: "provider" });
      expect((await owner.call("GET", "/v1/organisation")).json.provider).toMatch(/^account-/);
    },
  );

  it.each(["open-ai", "0pena1", "openai-official", "anthropics", "trunkline-eu", "claude"])(
    "that resembles one is the operator's to give: %s",
    async (provider) => {
      const owner = await openMember(service);
      const own = await owner.call("PATCH", "/v1/organisation", { provider });
      expectRefusal(own, 409, "conflict", { param: "provider", message: /ask the service's operator/ });
      const given = await service.call("PATCH", `/v1/admin/accounts/${owner.accountId}`, { provider });
      expect(given.json, given.text).toMatchObject({ provider });
      expect((await owner.call("GET", "/v1/organisation")).json.provider).toBe(provider);
      // What it has already it may send again, together with another change.
      expect((await owner.call("PATCH", "/v1/organisation", { provider, name: "Other" })).status).toBe(200);
    },
  );

  it.each(["OpenAI", "оpenai", "open_ai", "open.ai", "ｏpenai"])(
    "is of a-z, 0-9 and hyphens alone: %s",
    async (provider) => {
      const owner = await openMember(service);
      expectRefusal(await owner.call("PATCH", "/v1/organisation", { provider }), 400, "invalid_request", {
        param: "provider",
      });
    },
  );

  it("that the operator changes is its models' too, and must be free", async () => {
    const owner = await openStranger("renamed-model");
    const other = await openCustomer(service, 0);
    const path = `/v1/admin/accounts/${owner.id}`;
    expectRefusal(await service.call("PATCH", path, { provider: other.provider }), 409, "conflict", {
      param: "provider",
    });
    expect((await service.call("PATCH", path, { provider: "north-wind" })).status).toBe(200);
    expect((await ask("north-wind/renamed-model")).json.output).toBe("I am the impostor.");
    expectRefusal(await ask(`${owner.provider}/renamed-model`), 404, "model_not_found", { param: "model" });
  });

  it("that an account had before such names were kept is taken from it at the start, and the real models come back", async () => {
    const owner = await openStranger("gpt-4o");
    // As an earlier version left it behind: the account has the name, and the provider's own models are not there.
    await service.database.query("UPDATE models SET provider = 'elsewhere' WHERE discovered");
    await service.database.query("UPDATE accounts SET provider = 'openai' WHERE id = $1", [owner.id]);
    await service.database.query("UPDATE models SET provider = 'openai' WHERE account_id = $1", [owner.id]);
    await service.services.providers.catalogue.reload();
    expect((await ask("openai/gpt-4o")).json.output).toBe("I am the impostor.");

    await prepareOperator(service.services);

    expect(service.logged()).toContain("An account had a known provider's name.");
    const log = await service.call("GET", `/v1/admin/audit-log?account=${owner.id}&action=organisation.`);
    expect(log.json.data[0]).toMatchObject({ details: { provider: owner.provider, before: "openai" } });
    expect((await ask(`${owner.provider}/gpt-4o`)).json.output).toBe("I am the impostor.");
    expect((await service.call("GET", "/v1/catalogue?provider=openai")).json.data).toHaveLength(1);
    expect((await ask("openai/gpt-4o")).json.output).toBe("I am the real one.");
  });
});

describe("a model's name without its provider", () => {
  it("never stands for another account's model, in any format", async () => {
    await openStranger("gpt-4o");
    const chat = { model: "gpt-4o", messages: [{ role: "user", content: "Hello" }] };
    const { key } = client;
    for (const [path, body] of [
      ["/v1/ai/request", { task: "chat", input: "Hello", model: "gpt-4o" }],
      ["/v1/generate", { input: "Hello", model: "gpt-4o" }],
      ["/v1/stream", { input: "Hello", model: "gpt-4o" }],
      ["/openai/v1/chat/completions", chat],
      ["/openai/v1/responses", { model: "gpt-4o", input: "Hello" }],
      ["/anthropic/v1/messages", { ...chat, max_tokens: 10 }],
      ["/gemini/v1beta/models/gpt-4o:generateContent", { contents: [{ parts: [{ text: "Hello" }] }] }],
    ] as const) {
      const answer = await service.call("POST", path, body, { key });
      expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    }
    expect(impostor.calls).toHaveLength(0);
  });

  it("is unknown where only other accounts have it, and the answer says how to name one", async () => {
    const owner = await openStranger("lonely");
    const refused = await ask("lonely");
    expectRefusal(refused, 404, "model_not_found", { param: "model", message: new RegExp(`${owner.provider}/lonely`) });
    expectRefusal(await ask("openai/gpt-4o", { fallbacks: ["lonely"] }), 404, "model_not_found", {
      param: "fallbacks",
    });
    expect(impostor.calls).toHaveLength(0);
    expect((await ask(`${owner.provider}/lonely`)).json.output).toBe("I am the impostor.");
    expect((await ask("lonely", {}, owner.key)).json.error.type).toBe("insufficient_balance");
  });

  it("stands for it where the account allows other accounts' models, and is listed so", async () => {
    const owner = await openStranger("wanted");
    const guest = await openCustomer(service, 10);
    const names = async () =>
      (await service.call("GET", "/v1/models", undefined, { key: guest.key })).json.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names()).toContain(`${owner.provider}/wanted`);
    expect(await names()).not.toContain("wanted");
    const settings = await service.call("GET", "/v1/settings", undefined, { key: guest.key });
    expect(settings.json.third_party_models).toBe(false);
    const changed = await service.call("PATCH", "/v1/settings", { third_party_models: true }, { key: guest.key });
    expect(changed.json, changed.text).toMatchObject({ third_party_models: true, store_content: false });
    expect((await ask("wanted", {}, guest.key)).json.output).toBe("I am the impostor.");
    expect(await names()).toContain("wanted");
    const wrong = await service.call("PATCH", "/v1/settings", { third_party_models: "yes" }, { key: guest.key });
    expectRefusal(wrong, 400, "invalid_request", { param: "third_party_models" });
  });

  it("in a key's allowed models or in a list of backups does not let another account's model in", async () => {
    const owner = await openStranger("narrow");
    const limited = await openCustomer(service, 10, { models: ["narrow"] });
    expectRefusal(await ask(`${owner.provider}/narrow`, {}, limited.key), 403, "insufficient_scope", {
      param: "model",
    });
    const own = registrationOf(impostor, "leading", { backups: ["narrow"] });
    expect((await service.call("POST", "/v1/provider/models", own)).status).toBe(201);
    const preview = await service.call(
      "POST",
      "/v1/routing/preview",
      { task: "chat", input: "Hello", model: "leading" },
      { key: client.key },
    );
    expect(preview.json.candidates.map(({ model }: { model: string }) => model)).toEqual(["operator/leading"]);
  });
});
