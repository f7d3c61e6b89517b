import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const DAY = "2026-01-14";
const GOOD = { requests: 1, tokens_processed: 1 };
/** Tomorrow is the day after, should midnight pass while this runs. */
const FUTURE = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);

let service: StartedService;
let provider: ScriptedProvider;
let owner: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  owner = await openCustomer(service, 0);
  await registerAsOtherAccount(service, owner, registrationOf(provider, "own"), "active");
  const other = await openCustomer(service, 0);
  await registerAsOtherAccount(service, other, registrationOf(provider, "others"), "active");
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const post = (body: unknown) => service.call("POST", "/v1/provider/usage", body, { key: owner.key });
const get = (query: string) => service.call("GET", `/v1/provider/usage${query}`, undefined, { key: owner.key });

describe("a report is refused", () => {
  it.each<[string, string, unknown]>([
    ["usage", "with nothing in it", {}],
    ["usage.requests", "without its requests", { usage: { tokens_processed: 1 } }],
    ["usage.requests", "with fewer than none", { usage: { ...GOOD, requests: -1 } }],
    ["usage.requests", "with more than can be counted", { usage: { ...GOOD, requests: 2 ** 53 } }],
    ["usage.tokens_processed", "with half a token", { usage: { ...GOOD, tokens_processed: 1.5 } }],
    ["usage.tokens_processed", "with a text for a number", { usage: { ...GOOD, tokens_processed: "1" } }],
    ["model", "of a model without a name", { usage: GOOD, model: "" }],
    ["model", "of several models in one", { usage: GOOD, model: ["own"] }],
    ["day", "of a moment instead of a day", { usage: GOOD, day: `${DAY}T00:00:00Z` }],
    ["day", "of a day that is not on the calendar", { usage: GOOD, day: "2026-02-30" }],
    ["day", "of the year 0", { usage: GOOD, day: "0000-01-01" }],
    ["day", "of a day to come", { usage: GOOD, day: FUTURE }],
    ["reports", "in both forms at once", { usage: GOOD, reports: [GOOD] }],
    ["model", "as a list of one model", { model: "own", reports: [GOOD] }],
    ["day", "as a list of one day", { day: DAY, reports: [GOOD] }],
    ["reports", "as an empty list", { reports: [] }],
    ["reports", "as something that is no list", { reports: { own: GOOD } }],
    ["reports[1].requests", "with a bad number in a list", { reports: [GOOD, { ...GOOD, requests: -1 }] }],
    ["reports[0].day", "with a day to come in a list", { reports: [{ day: FUTURE, ...GOOD }] }],
    [
      "reports[1]",
      "with the same twice in a list",
      {
        reports: [
          { day: DAY, ...GOOD },
          { day: DAY, ...GOOD },
        ],
      },
    ],
  ])("for its `%s`: %s", async (param, _how, body) => {
    expectRefusal(await post(body), 400, "invalid_request", { param });
  });

  it("with more than a thousand in a list, and taken with a thousand", async () => {
    const day = (index: number) => new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
    const reports = Array.from({ length: 1_001 }, (_, index) => ({ model: "own", day: day(index), ...GOOD }));
    expectRefusal(await post({ reports }), 400, "invalid_request", { param: "reports" });
    const taken = await post({ reports: reports.slice(0, 1_000) });
    expect(taken.status).toBe(200);
    expect(taken.json.reports).toHaveLength(1_000);
    expect(taken.json.reports[999]).toMatchObject({ day: day(999), reported: GOOD, flagged: false });
  });

  it.each(["nobody", "others", "operator/own", "own\0", "auto"])(
    "of the model %j, which is not its own",
    async (model) => {
      expectRefusal(await post({ usage: GOOD, model }), 404, "not_found", { param: "model" });
      expectRefusal(await post({ reports: [{ ...GOOD, model }] }), 404, "not_found", {
        param: "reports[0].model",
      });
      expectRefusal(await get(`?model=${encodeURIComponent(model)}`), 404, "not_found", { param: "model" });
    },
  );

  it("without a trace, with all that came with it", async () => {
    const before = (await get("?from=2025-12-31&to=2026-01-31")).json.data;
    await post({
      reports: [
        { model: "own", day: DAY, ...GOOD },
        { model: "nobody", day: DAY, ...GOOD },
      ],
    });
    expect((await get("?from=2025-12-31&to=2026-01-31")).json.data).toEqual(before);
  });
});

describe("a question is refused", () => {
  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

  it.each([
    ["from", "?from=yesterday"],
    ["from", "?from=2026-02-30"],
    ["to", "?to=2026-01-01T00:00:00Z"],
    ["to", "?to="],
    ["model", "?model="],
    ["limit", "?limit=0"],
    ["limit", "?limit=101"],
    ["cursor", "?cursor=x"],
    ["cursor", `?cursor=${cursor(["2026-02-30", "own", null])}`],
    ["cursor", `?cursor=${cursor(["2026-01-30", "own"])}`],
    ["cursor", `?cursor=${cursor(["2026-01-30", "own", "\0"])}`],
    ["cursor", `?cursor=${cursor("2026-01-30")}`],
  ])("for its `%s`: %s", async (param, query) => {
    expectRefusal(await get(query), 400, "invalid_request", { param });
  });

  it("where the key may not ask", async () => {
    const reader = await openCustomer(service, 0, { scopes: ["read", "inference", "manage"] });
    const { key } = reader;
    expectRefusal(await service.call("GET", "/v1/provider/usage", undefined, { key }), 403, "insufficient_scope");
    expectRefusal(
      await service.call("POST", "/v1/provider/usage", { usage: GOOD }, { key }),
      403,
      "insufficient_scope",
    );
    const admin = "/v1/admin/providers/reconciliation";
    expectRefusal(await service.call("GET", admin, undefined, { key: owner.key }), 403, "insufficient_scope");
    expectRefusal(await service.call("GET", `${admin}?cursor=x`), 400, "invalid_request", {
      param: "cursor",
    });
    expectRefusal(await service.call("GET", admin, undefined, { key: null }), 401, "missing_api_key");
  });
});
