import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { openMember, type TestMember } from "../support/member.ts";
import { PUBLIC_ENDPOINT } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import { StripeStandIn } from "../support/stripe-stand-in.ts";
import { absentToken } from "../support/token-trial.ts";

/** Paths whose parameter names nobody's object: models are offered to all, a month is everyone's. */
const SHARED = /\/models\/\*|^\/scim\/v2\/Schemas\/|^\/v1\/(provider\/)?statements\/:month(\/pdf)?$/;

/** Makes an object of one's own where there is none of this name. */
const MAKES_ITS_OWN = (method: string, path: string) => method === "PUT" && path === "/v1/presets/:name";

/** Every operation on one object of an account. What the operator does to accounts is not theirs to try. */
const OPERATIONS = ALL_ENDPOINTS.filter(
  (endpoint) =>
    endpoint.kind === "control" &&
    !endpoint.permission.startsWith("operator.") &&
    /[:*]/.test(endpoint.path) &&
    !SHARED.test(endpoint.path) &&
    !MAKES_ITS_OWN(endpoint.method, endpoint.path),
).map(({ method, path }) => ({ name: `${method} ${path}`, method, path, collection: path.replace(/\/:.*/, "") }));

/** Bodies that the operation would take for an object of one's own. */
const BODIES: Readonly<Record<string, unknown>> = {
  "POST /v1/requests/:id/feedback": { score: 1 },
  "PATCH /v1/me/passkeys/:id": { name: "Mine now" },
  "PATCH /v1/members/:id": { role: "viewer" },
  "PATCH /v1/keys/:id": { name: "Mine now" },
  "PATCH /v1/service-accounts/:id": { name: "Mine now" },
  "POST /v1/service-accounts/:id/trusts": {
    name: "Mine now",
    issuer: "https://login.example.com",
    audience: "x",
    conditions: [{ claim: "sub", values: ["x"] }],
  },
  "PUT /scim/v2/Users/:id": { userName: "mine-now@victim.example" },
  "PATCH /scim/v2/Users/:id": { Operations: [{ op: "replace", value: { displayName: "Mine now" } }] },
  "PUT /scim/v2/Groups/:id": { displayName: "Mine now" },
  "PATCH /scim/v2/Groups/:id": { Operations: [{ op: "replace", value: { displayName: "Mine now" } }] },
  "PATCH /v1/webhooks/:id": { description: "Mine now" },
  "PATCH /v1/log-sinks/:id": { description: "Mine now" },
  "PATCH /v1/guardrail-hooks/:id": { description: "Mine now" },
  "PATCH /v1/provider/models/:name": { description: "Mine now" },
  "POST /openai/v1/conversations/:id": { metadata: { name: "Mine now" } },
  "POST /openai/v1/conversations/:id/items": { items: [{ role: "user", content: "Mine now" }] },
};

/** An item of the victim's conversation. */
const ITEM = "msg-of-the-victim";

let stripe: StripeStandIn;
let service: StartedService;
let victim: TestMember;
let intruder: TestMember;
/** An object of the victim's in each collection. */
let objects: Readonly<Record<string, string>>;

beforeAll(async () => {
  stripe = await StripeStandIn.start();
  service = await startService((config) => ({ ...stripe.configure(config), token: absentToken() }));
  victim = await openMember(service);
  intruder = await openMember(service);
  const grant = await service.call("POST", `/v1/admin/accounts/${victim.accountId}/grants`, { amount: 10 });
  expect(grant.status, grant.text).toBe(201);
  const make = async (path: string, body: unknown, headers?: Record<string, string>): Promise<string> => {
    const { status, text, json } = await victim.call("POST", path, body, headers);
    expect([200, 201], `${path}: ${text}`).toContain(status);
    return json.id;
  };
  const line = { custom_id: "1", method: "POST", url: "/v1/generate", body: { input: "Hello", model: "guide" } };
  const file = await make("/v1/files", JSON.stringify(line), { "content-type": "application/jsonl" });
  const batch = await make("/v1/batches", { input_file_id: file, endpoint: "/v1/generate", completion_window: "24h" });
  const makeAttachedFile = async () => {
    const form = new FormData();
    form.set("file", new Blob(["a plan"]), "plan.txt");
    const { headers, body } = new Request("http://form.test", { method: "POST", body: form });
    const text = await new Response(body).text();
    return make("/anthropic/v1/files", text, { "content-type": headers.get("content-type") ?? "" });
  };
  const passkey = "a-passkey-of-the-victim";
  await service.database.query(
    `INSERT INTO passkeys (id, person_id, name, public_key, counter, transports, backed_up)
     VALUES ($1, $2, 'Laptop', '', 0, '{}', false)`,
    [passkey, victim.personId],
  );
  const wallet = `0x${"ab".repeat(20)}`;
  await service.database.query("INSERT INTO wallets (address, account_id, name) VALUES ($1, $2, 'Theirs')", [
    wallet,
    victim.accountId,
  ]);
  await make("/v1/provider/models", {
    name: "theirs",
    type: "text",
    endpoint: PUBLIC_ENDPOINT,
    pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.001 },
    capabilities: ["chat"],
  });
  await service.database.query(
    "INSERT INTO ledger_accounts (kind, account_id, balance) VALUES ('payable', $1, 20000000000)",
    [victim.accountId],
  );
  const destination = { method: "bank", destination: "DE00 1234" };
  expect((await victim.call("PUT", "/v1/provider/payout-destination", destination)).status).toBe(200);
  expect((await victim.call("PUT", "/v1/presets/their-preset", { system: "Theirs" })).status).toBe(200);
  const domains = `/v1/admin/accounts/${victim.accountId}/domains`;
  expect((await service.call("POST", domains, { name: "victim.example" })).status).toBe(201);
  const answered = await victim.call("POST", "/v1/generate", { input: "Hello", model: "guide" });
  expect(answered.status, answered.text).toBe(200);
  objects = {
    "/v1/requests": answered.headers.get("x-request-id") ?? "",
    "/v1/me/sessions": (await victim.call("GET", "/v1/me/sessions")).json.data[0].id,
    "/v1/me/passkeys": passkey,
    "/v1/members": victim.personId,
    "/v1/billing/wallets": wallet,
    "/v1/invitations": await make("/v1/invitations", { email: "new@example.test", role: "viewer" }),
    "/v1/receipts": (await victim.call("GET", "/v1/receipts")).json.data[0].id,
    "/v1/billing/orders": await make("/v1/billing/checkout", { amount: 5 }),
    "/v1/keys": await make("/v1/keys", { name: "Theirs", scopes: ["read"] }),
    "/v1/organisation/domains": "victim.example",
    "/v1/service-accounts": await make("/v1/service-accounts", { name: "Theirs", scopes: ["read"] }),
    "/scim/v2/Users": await make("/scim/v2/Users", { userName: "ada@victim.example" }),
    "/scim/v2/Groups": await make("/scim/v2/Groups", { displayName: "Theirs" }),
    "/v1/provider-keys": await make("/v1/provider-keys", { provider: "openai", key: "sk-theirs-0123456789" }),
    "/v1/billing/credit-requests": await make("/v1/billing/credit-requests", { message: "For a course" }),
    "/v1/webhooks": await make("/v1/webhooks", { url: "https://93.184.215.14/hook" }),
    "/v1/log-sinks": await make("/v1/log-sinks", { kind: "http", url: "https://93.184.215.14/logs" }),
    "/v1/guardrail-hooks": await make("/v1/guardrail-hooks", {
      url: "https://93.184.215.14/judge",
      on_failure: "allow",
      timeout_ms: 50,
    }),
    "/v1/provider/models": "theirs",
    "/v1/provider/payouts": await make("/v1/provider/payouts", {}),
    "/v1/presets": "their-preset",
    "/v1/files": file,
    "/openai/v1/files": file,
    "/anthropic/v1/files": await makeAttachedFile(),
    "/v1/batches": batch,
    "/openai/v1/batches": batch,
    "/openai/v1/responses": await make("/openai/v1/responses", { input: "Hello", model: "guide" }),
    "/openai/v1/conversations": await make("/openai/v1/conversations", {
      items: [{ id: ITEM, role: "user", content: "Hello" }],
    }),
    "/anthropic/v1/messages/batches": await make("/anthropic/v1/messages/batches", {
      requests: [
        { custom_id: "1", params: { model: "guide", max_tokens: 5, messages: [{ role: "user", content: "Hello" }] } },
      ],
    }),
  };
});
afterAll(async () => {
  await service.stop();
  await stripe.stop();
});

const addressOf = (path: string, id: string) => path.replace(/:(id|name|address)/, id).replace(":item_id", ITEM);

it.each(OPERATIONS)("$name answers another account's owner as if there were no such object", async (operation) => {
  const { name, method, path, collection } = operation;
  const id = objects[collection];
  if (id === undefined) throw new Error(`No object of ${collection} is made above.`);
  const body = BODIES[name];
  const answer = await intruder.call(method, addressOf(path, id), body);
  expect(answer.status, answer.text).toBe(404);
  const unknown = await intruder.call(method, addressOf(path, newId()), body);
  expect(unknown.status, unknown.text).toBe(404);
});

it("leaves every object to its owner", async () => {
  const reads = OPERATIONS.filter(({ method, path }) => method === "GET" && /:(id|name)$/.test(path));
  for (const { path, collection } of reads) {
    const answer = await victim.call("GET", addressOf(path, objects[collection] ?? ""));
    expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    expect(answer.text).not.toContain("Mine now");
  }
  for (const collection of [
    "/v1/me/sessions",
    "/v1/me/passkeys",
    "/v1/members",
    "/v1/invitations",
    "/v1/provider-keys",
    "/v1/billing/wallets",
  ])
    expect((await victim.call("GET", collection)).text, collection).toContain(objects[collection]);
});
