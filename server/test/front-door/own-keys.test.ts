import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { balanceOf, type Customer, openCustomer } from "../support/customer.ts";
import { chatAnswer, keyIn, refusal, startWithOpenAi } from "../support/openai-upstream.ts";
import { startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import type { StartedService } from "../support/started-service.ts";

const OURS = "sk-the-operators-own-key";
const THEIRS = "sk-the-customers-own-key-9876";

let upstream: Upstream;
let mistral: Upstream;
let service: StartedService;
let owner: Customer;
let other: Customer;

const ask = (customer: Customer, model: string) =>
  service.call(
    "POST",
    "/v1/generate",
    { model, input: "Hello", parameters: { max_tokens: 100 } },
    { key: customer.key },
  );
const as = (customer: Customer) => ({ key: customer.key });
const store = (customer: Customer, body: object) => service.call("POST", "/v1/provider-keys", body, as(customer));
const recordOf = async (customer: Customer, answer: { headers: Headers }) =>
  (await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`, undefined, as(customer))).json;
const keysSeen = () => [...upstream.requests, ...mistral.requests].map(keyIn);

async function removeKeys(customer: Customer): Promise<void> {
  const list = await service.call("GET", "/v1/provider-keys", undefined, as(customer));
  for (const { id } of list.json.data) await service.call("DELETE", `/v1/provider-keys/${id}`, undefined, as(customer));
}

beforeAll(async () => {
  mistral = await startUpstream(() => chatAnswer("Bonjour."));
  ({ upstream, service } = await startWithOpenAi({
    OPENAI_API_KEY: OURS,
    MISTRAL_BASE_URL: `${mistral.url}/v1`,
    TRUNKLINE_OWN_KEY_FEE_PERCENT: "12.5",
  }));
  owner = await openCustomer(service, 1);
  other = await openCustomer(service, 1);
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
  await mistral.close();
});

beforeEach(async () => {
  upstream.answer(() => chatAnswer("Hello.", { prompt_tokens: 100, completion_tokens: 40 }));
  await removeKeys(owner);
  upstream.requests.length = 0;
  mistral.requests.length = 0;
});

describe("an account's own key for a provider", () => {
  it("is shown by its last four characters alone", async () => {
    const made = await store(owner, { provider: "openai", key: THEIRS });
    expect(made.status, made.text).toBe(201);
    expect(made.json).toMatchObject({ provider: "openai", hint: "9876", fallback: false });
    const list = await service.call("GET", "/v1/provider-keys", undefined, as(owner));
    expect(list.json.data).toEqual([made.json]);
    expect((await service.call("GET", "/v1/provider-keys", undefined, as(other))).json.data).toEqual([]);
    expect(made.text + list.text).not.toContain(THEIRS);
  });

  it("serves that account's requests, which cost the fee alone, and the record says so", async () => {
    await store(owner, { provider: "openai", key: THEIRS });
    const before = await balanceOf(service, owner.key);
    const answer = await ask(owner, "openai/gpt-4o");
    expect(answer.status, answer.text).toBe(200);
    expect(keysSeen()).toEqual([THEIRS]);
    // An eighth of 100 tokens at 2.50 and 40 at 10 dollars a million.
    const fee = 0.00008125;
    expect(await recordOf(owner, answer)).toMatchObject({
      model: "openai/gpt-4o",
      own_key: true,
      cost: fee,
      price: { input_per_1k_tokens: 0.0003125, output_per_1k_tokens: 0.00125 },
    });
    const after = await balanceOf(service, owner.key);
    expect(before.balance - after.balance).toBeCloseTo(fee, 9);
  });

  it("changes nothing for other accounts", async () => {
    await store(owner, { provider: "openai", key: THEIRS });
    const answer = await ask(other, "openai/gpt-4o");
    expect(keysSeen()).toEqual([OURS]);
    expect(await recordOf(other, answer)).toMatchObject({ own_key: false, cost: 0.00065 });
  });

  it("shows its fee as the price in the catalogue", async () => {
    await store(owner, { provider: "openai", key: THEIRS });
    const pricesOf = async (customer: Customer) =>
      (await service.call("GET", "/v1/models/openai/gpt-4o", undefined, as(customer))).json.providers[0];
    expect(await pricesOf(owner)).toMatchObject({
      own_key: true,
      pricing: { input_per_1k_tokens: 0.0003125 },
    });
    expect(await pricesOf(other)).toMatchObject({ own_key: false, pricing: { input_per_1k_tokens: 0.0025 } });
  });

  it("makes a provider usable, and visible, that the operator has no key for", async () => {
    const model = "mistral/mistral-large-2512";
    expect((await ask(owner, model)).json.error.type).toBe("model_not_found");
    await store(owner, { provider: "mistral", key: THEIRS });
    const answer = await ask(owner, model);
    expect(answer.status, answer.text).toBe(200);
    expect(keysSeen()).toEqual([THEIRS]);
    const listFor = async (customer: Customer) =>
      (await service.call("GET", "/v1/models?provider=mistral", undefined, as(customer))).json;
    expect((await listFor(owner)).length).toBeGreaterThan(5);
    expect(await listFor(other)).toEqual([]);
    expect((await ask(other, model)).json.error.type).toBe("model_not_found");
    await removeKeys(owner);
    expect((await ask(owner, model)).json.error.type).toBe("model_not_found");
  });

  it("that is refused is reported plainly, and the operator's key is not used in its place", async () => {
    await store(owner, { provider: "openai", key: THEIRS });
    upstream.answer((request) => refusal(401, request));
    const answer = await ask(owner, "openai/gpt-4o");
    expect(answer.status).toBe(502);
    expect(answer.json.error.message).toContain("refused your own key");
    expect(new Set(keysSeen())).toEqual(new Set([THEIRS]));
    upstream.answer(() => chatAnswer("Hello."));
    expect((await ask(owner, "openai/gpt-4o")).status).toBe(200);
    expect((await ask(other, "openai/gpt-4o")).status).toBe(200);
  });

  it("is followed by the operator's, at the full price, where that was chosen", async () => {
    await store(owner, { provider: "openai", key: THEIRS, fallback: true });
    upstream.answer((request) =>
      keyIn(request) === THEIRS
        ? refusal(401, request)
        : chatAnswer("Hello.", { prompt_tokens: 100, completion_tokens: 40 }),
    );
    const answer = await ask(owner, "openai/gpt-4o");
    expect(answer.status, answer.text).toBe(200);
    expect(keysSeen()).toEqual([THEIRS, OURS]);
    expect(await recordOf(owner, answer)).toMatchObject({ own_key: false, cost: 0.00065 });
  });

  it("may be one of several, which are tried one after the other", async () => {
    await store(owner, { provider: "openai", key: "sk-an-old-key-that-is-gone" });
    await store(owner, { provider: "openai", key: THEIRS });
    upstream.answer((request) => (keyIn(request) === THEIRS ? chatAnswer("Hello.") : refusal(401, request)));
    expect((await ask(owner, "openai/gpt-4o")).status).toBe(200);
    expect(keysSeen()).toEqual(["sk-an-old-key-that-is-gone", THEIRS]);
  });

  it("is charged so that the audit finds nothing wrong", async () => {
    const database = openDatabase(service.address, () => undefined, { connections: 1 });
    const { findings } = await auditLedger(database);
    await database.close();
    expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  });

  it("is written into the audit log, and stands nowhere in clear", async () => {
    await store(owner, { provider: "openai", key: THEIRS });
    upstream.answer((request) => refusal(401, request));
    const refused = await ask(owner, "openai/gpt-4o");
    const database = openDatabase(service.address, () => undefined, { connections: 1 });
    const events = await database.query("SELECT action, details FROM deeds WHERE account_id = $1", [owner.id]);
    const rows = await database.query(
      "SELECT t::text FROM provider_keys t UNION ALL SELECT t::text FROM deeds t UNION ALL SELECT t::text FROM requests t",
    );
    await database.close();
    expect(events).toContainEqual({
      action: "provider_key.create",
      details: { provider: "openai", fallback: false },
    });
    const metrics = await service.call("GET", "/metrics");
    const record = JSON.stringify(await recordOf(owner, refused));
    const everything = [service.logged(), refused.text, JSON.stringify(rows), metrics.text, record].join("\n");
    expect(everything).not.toContain(THEIRS);
    expect(everything).not.toContain(Buffer.from(THEIRS).toString("hex"));
  });
});

describe("a wrong provider key", () => {
  it.each([
    ["for a provider that nobody knows", { provider: "nobody", key: "k" }, "provider"],
    ["for a provider whose prices are not known", { provider: "huggingface", key: "k" }, "provider"],
    ["without a key", { provider: "openai" }, "key"],
    ["with a space in it", { provider: "openai", key: "a b" }, "key"],
    ["with an odd wish for a fallback", { provider: "openai", key: "k", fallback: "yes" }, "fallback"],
  ])("%s is refused", async (_, body, param) => {
    const answer = await store(owner, body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json.error.param).toBe(param);
  });

  it("is refused beyond twenty", async () => {
    for (let count = 0; count < 20; count++)
      expect((await store(owner, { provider: "openai", key: `key-number-${count}` })).status).toBe(201);
    expect((await store(owner, { provider: "openai", key: "one-too-many" })).status).toBe(409);
  });

  it.each(["nothing", "00000000-0000-7000-8000-000000000000"])("%s can't be removed", async (id) => {
    const answer = await service.call("DELETE", `/v1/provider-keys/${id}`, undefined, as(owner));
    expect(answer.status).toBe(404);
  });

  it("of another account can't be removed", async () => {
    const { json } = await store(owner, { provider: "openai", key: THEIRS });
    const answer = await service.call("DELETE", `/v1/provider-keys/${json.id}`, undefined, as(other));
    expect(answer.status).toBe(404);
  });

  it("of a short kind shows none of its characters", async () => {
    expect((await store(owner, { provider: "openai", key: "short" })).json.hint).toBe("");
  });
});

describe("the list of providers", () => {
  it("has those whose models and prices are known, and the fee", async () => {
    const answer = await service.call("GET", "/v1/provider-keys/providers", undefined, as(owner));
    expect(answer.json.fee_percent).toBe(12.5);
    const ids = answer.json.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(["openai", "anthropic", "google", "mistral", "bedrock"]));
    expect(ids).not.toContain("huggingface");
  });
});
