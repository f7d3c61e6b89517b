import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let sibling: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  sibling = await startSibling(service);
  provider = await startProvider();
});

afterAll(async () => {
  await sibling.stop();
  await service.stop();
  await provider.stop();
});

const NOBODY = "00000000-0000-7000-8000-000000000000";
const register = (name: string, more: Record<string, unknown> = {}) =>
  service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
const shownOf = async (name: string) => (await service.call("GET", `/v1/admin/models?q=/${name}`)).json.data[0];
const setShare = async (name: string, share: Record<string, unknown>) =>
  service.call("PATCH", `/v1/admin/models/${(await shownOf(name)).id}`, share);
const preview = async (body: Record<string, unknown>, at = service) =>
  (await at.call("POST", "/v1/routing/preview", { task: "chat", input: "one two", ...body })).json;
const reasonFor = async (model: string) =>
  (await preview({})).left_out.find((one: { model: string }) => one.model === model)?.reason;

describe("a model's share of the automatic requests", () => {
  it("is set by the operator and holds on every instance; named, the model serves all the same", async () => {
    await register("throttled");
    await register("full");
    expect(await shownOf("throttled")).toMatchObject({ canary_share: 1, weight: 1 });
    const set = await setShare("throttled", { canary_share: 0 });
    expect(set.json, set.text).toMatchObject({ canary_share: 0, weight: 1, full_name: "operator/throttled" });
    expect((await service.call("GET", "/v1/provider/models/throttled")).json.canary_share).toBe(0);
    expect(await reasonFor("operator/throttled")).toMatch(/takes part in 0 % of the automatic requests/);
    expect((await preview({ model: "throttled" })).candidates).toHaveLength(1);
    const isLeftOut = async () =>
      (await preview({}, sibling)).left_out.some(({ model }: { model: string }) => model === "operator/throttled");
    await expect.poll(isLeftOut).toBe(true);

    expect((await setShare("throttled", { canary_share: null })).json.canary_share).toBe(1);
    expect(await reasonFor("operator/throttled")).toBeUndefined();
  });

  it("is the same for all requests of a session", async () => {
    await register("canary", { canary_share: 0.5 });
    const takesPart = async (session: string) =>
      (await preview({ session })).candidates.some(({ model }: { model: string }) => model === "operator/canary");
    const seen: boolean[] = [];
    for (let index = 0; index < 40; index++) seen.push(await takesPart(`session ${index}`));
    expect(new Set(seen).size).toBe(2);
    for (const session of [0, 1, 2]) expect(await takesPart(`session ${session}`)).toBe(seen[session]);
  });

  it("is a twentieth on probation, and what the operator says of it outlasts whatever its provider changes", async () => {
    const otherAccount = await openCustomer(service, 1);
    await registerAsOtherAccount(service, otherAccount, registrationOf(provider, "newcomer"), "probation");
    expect(await shownOf("newcomer")).toMatchObject({ state: "probation", canary_share: 0.05 });
    await setShare("newcomer", { canary_share: 0.25, weight: 7 });
    const own = (body: unknown) =>
      service.call("PATCH", "/v1/provider/models/newcomer", body, { key: otherAccount.key });
    const changed = await own({ description: "Better now." });
    expect(changed.json, changed.text).toMatchObject({ canary_share: 0.25, weight: 7 });
    expect((await own({ weight: 0 })).json).toMatchObject({ canary_share: 0.25, weight: 0 });
    for (const share of [{ canary_share: 1 }, { canary_share: null }])
      expectRefusal(await own(share), 400, "invalid_request", { param: "canary_share", message: /operator/ });
    expectRefusal(await own({ weight: 2 }), 400, "invalid_request", { param: "weight", message: /operator/ });
    expect(await shownOf("newcomer")).toMatchObject({ canary_share: 0.25, weight: 0 });
  });

  it("and more weight than others have can't be had by registering with it", async () => {
    const { key } = await openCustomer(service, 1);
    const registration = { ...registrationOf(provider, "greedy"), endpoint: "https://93.184.215.14/v1" };
    for (const [param, more] of [
      ["weight", { weight: 1_000 }],
      ["canary_share", { canary_share: 1 }],
    ] as const) {
      const body = { ...registration, ...more };
      expectRefusal(await service.call("POST", "/v1/provider/models", body, { key }), 400, "invalid_request", {
        param,
        message: /operator/,
      });
      const checked = await service.call("POST", "/v1/provider/models/validate", body, { key });
      expect(checked.json.issues).toMatchObject([{ param }]);
    }
  });
});

describe("a share that can't be", () => {
  it.each([
    ["weight", { weight: -1 }],
    ["weight", { weight: 1_001 }],
    ["weight", { weight: 0.5 }],
    ["weight", { weight: "1" }],
    ["canary_share", { canary_share: -0.1 }],
    ["canary_share", { canary_share: 1.1 }],
    ["canary_share", { canary_share: "half" }],
  ])("is refused by its %s: %j", async (param, share) => {
    await register("steady");
    expectRefusal(await setShare("steady", share), 400, "invalid_request", { param });
    expectRefusal(await register("odd", share), 400, "invalid_request", { param });
  });

  it("is refused for a model that does not exist, and to all but the operator", async () => {
    for (const id of [NOBODY, "nonsense"])
      expectRefusal(await service.call("PATCH", `/v1/admin/models/${id}`, { weight: 1 }), 404, "not_found");
    const { key } = await openCustomer(service, 1);
    const path = `/v1/admin/models/${(await shownOf("steady")).id}`;
    expectRefusal(await service.call("PATCH", path, { weight: 1 }, { key }), 403, "insufficient_scope");
  });
});
