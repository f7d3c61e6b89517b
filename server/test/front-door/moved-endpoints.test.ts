import type { AddressInfo } from "node:net";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { isSignedWith, startReceiver, type WebhookReceiver } from "@trunkline/testing/webhook-receiver.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProvider } from "../../../examples/provider/provider.mjs";
import { openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const SECRET = "provider-credential-of-the-tests";

let service: StartedService;
let home: ScriptedProvider;
let elsewhere: ScriptedProvider;
let receiver: WebhookReceiver;
let otherReceiver: WebhookReceiver;

beforeAll(async () => {
  service = await startService();
  home = await startProvider();
  elsewhere = await startProvider();
  receiver = await startReceiver();
  otherReceiver = await startReceiver();
});

afterAll(async () => {
  await service.stop();
  for (const server of [home, elsewhere, receiver, otherReceiver]) await server.stop();
});

const patch = (name: string, body: unknown, key?: string) =>
  service.call("PATCH", `/v1/provider/models/${name}`, body, key === undefined ? {} : { key });
const check = (name: string) => service.call("POST", `/v1/provider/models/${name}/check`);
const ask = (model: string) => service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model });

async function register(name: string, more: Record<string, unknown> = {}): Promise<void> {
  const made = await service.call("POST", "/v1/provider/models", registrationOf(home, name, more));
  expect(made.status, made.text).toBe(201);
}

describe("a model's stored credential", () => {
  it("is not sent to another origin, in another format or in another header", async () => {
    await register("kept");
    const moves = [{ endpoint: elsewhere.endpoint }, { wire: "openai" }, { auth_type: "x-api-key" }];
    for (const move of moves) {
      expectRefusal(await patch("kept", move), 400, "invalid_request", { param: "credential" });
      const validated = await service.call("POST", "/v1/provider/models/validate?change=true", {
        name: "kept",
        ...move,
      });
      expect(validated.json).toMatchObject({ valid: false, issues: [{ param: "credential" }] });
    }
    const same = await service.call("GET", "/v1/provider/models/kept");
    expect(same.json).toMatchObject({ endpoint: home.endpoint, state: "active", has_credential: true });
    await check("kept");
    expect(elsewhere.calls).toHaveLength(0);
  });

  it("is dropped where the moved endpoint needs none", async () => {
    await register("dropped");
    const moved = await patch("dropped", { endpoint: elsewhere.endpoint, auth_type: "none" });
    expect(moved.json, moved.text).toMatchObject({ has_credential: false, state: "pending" });
    await check("dropped");
    // Neither a later way to authenticate nor the old address brings it back.
    expectRefusal(await patch("dropped", { auth_type: "bearer" }), 400, "invalid_request", { param: "credential" });
    expect(elsewhere.calls.length).toBeGreaterThan(0);
    expect(JSON.stringify(elsewhere.calls.map(({ headers }) => headers))).not.toContain(SECRET);
  });

  it("stays where only the path changes", async () => {
    await register("path");
    const changed = await patch("path", { endpoint: home.endpoint.replace("/v1/", "/v2/") });
    expect(changed.json, changed.text).toMatchObject({ has_credential: true, state: "active" });
    expect((await ask("path")).status).toBe(200);
    expect(home.calls.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  it("is not sent on by the account of another provider", async () => {
    const owner = await openCustomer(service, 0);
    await registerAsOtherAccount(service, owner, registrationOf(home, "theirs"), "active");
    const refused = await patch("theirs", { endpoint: "https://93.184.215.99/v1/generate" }, owner.key);
    expectRefusal(refused, 400, "invalid_request", { param: "credential" });
    const moved = await patch(
      "theirs",
      { endpoint: "https://93.184.215.99/v1/generate", credential: "another" },
      owner.key,
    );
    expect(moved.json, moved.text).toMatchObject({ has_credential: true, state: "pending" });
  });
});

describe("an operator's moved model", () => {
  it("is checked before it gets a customer's prompt", async () => {
    const conforming = createProvider({ key: "of-the-new-place" }).listen(0, "127.0.0.1");
    await new Promise((resolve) => conforming.once("listening", resolve));
    const endpoint = `http://127.0.0.1:${(conforming.address() as AddressInfo).port}/v1/generate`;
    try {
      await register("moved");
      const moved = await patch("moved", { endpoint, credential: "of-the-new-place" });
      expect(moved.json, moved.text).toMatchObject({ state: "pending", has_credential: true });
      expectRefusal(await ask("moved"), 503, "no_model_available");
      const checked = await check("moved");
      expect(checked.json, checked.text).toMatchObject({ passed: true, state: "active" });
      expect((await ask("moved")).status).toBe(200);
    } finally {
      conforming.closeAllConnections();
      await new Promise((resolve) => conforming.close(resolve));
    }
  });

  it("can't be activated unchecked by a key without the scope admin", async () => {
    await register("developed", { auth_type: "none", credential: undefined });
    const made = await service.call("POST", "/v1/keys", { name: "provider", scopes: ["provider"] });
    const { key } = made.json;
    // A key without that scope may only name public addresses.
    const endpoint = "https://93.184.215.99/v1/generate";
    for (const state of ["active", "suspended"]) {
      const moved = await patch("developed", { endpoint, state }, key);
      expect(moved.json, moved.text).toMatchObject({ state: state === "active" ? "pending" : "suspended" });
      expect((await patch("developed", { state: "active" }, key)).json.state).toBe("pending");
    }
    expect((await patch("developed", { state: "active" })).json.state).toBe("active");
  });
});

describe("a webhook's secret", () => {
  it("is replaced when its URL moves to another origin, and the answer shows the new one", async () => {
    const made = await service.call("POST", "/v1/webhooks", { url: receiver.url });
    const path = `/v1/webhooks/${made.json.id}`;
    const rotated = await service.call("POST", `${path}/rotate`);
    const sameOrigin = await service.call("PATCH", path, { url: `${receiver.url}?a=b` });
    expect(sameOrigin.json.secret).toBeUndefined();
    const moved = await service.call("PATCH", path, { url: otherReceiver.url });
    expect(moved.status, moved.text).toBe(200);
    expect(moved.json).toMatchObject({ secret: expect.stringMatching(/^whsec_/), old_secret_ends_at: null });
    await service.call("POST", `${path}/test`);
    const [event] = otherReceiver.events;
    if (event === undefined) throw new Error("The test event has not arrived.");
    expect(isSignedWith(moved.json.secret, event)).toBe(true);
    for (const { secret } of [made.json, rotated.json]) expect(isSignedWith(secret, event)).toBe(false);
    expect((await service.call("GET", path)).text).not.toContain("whsec_");
  });
});
