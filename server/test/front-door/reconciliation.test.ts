import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { sampleSettlement } from "../support/sample-settlement.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const DAY_MS = 86_400_000;
const NOW = Date.now();
const dayAgo = (days: number) => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10);
/** Over for long, whatever the time is. */
const OVER = dayAgo(3);

let service: StartedService;
let provider: ScriptedProvider;
let owner: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
});
afterAll(async () => {
  await service.stop();
  await provider.stop();
});
beforeEach(async () => {
  owner = await openCustomer(service, 0);
  for (const name of ["writer", "reader"])
    await registerAsOtherAccount(service, owner, registrationOf(provider, name), "active");
});

/** A number of answers of a model on a day, of 30 tokens each. */
async function answered(times: number, model: string, day: string): Promise<void> {
  const createdAt = new Date(`${day}T00:00:00Z`);
  const { id: accountId, keyId, provider: ofOwner } = owner;
  await service.services.ledger.store.write(
    Array.from({ length: times }, () => sampleSettlement({ accountId, keyId, provider: ofOwner, model, createdAt })),
  );
}

const post = (body: unknown, key = owner.key) => service.call("POST", "/v1/provider/usage", body, { key });
const get = (path: string, headers: Record<string, string> = {}) =>
  service.call("GET", path, undefined, { key: owner.key, headers });
const uses = async (query = "") => (await get(`/v1/provider/usage${query}`)).json.data;
const usage = (requests: number, tokens = requests * 30) => ({ requests, tokens_processed: tokens });
const flagged = async () => {
  const { json } = await service.call("GET", "/v1/admin/providers/reconciliation?limit=100");
  return json.data.filter((row: { provider: string }) => row.provider === owner.provider);
};

describe("a provider's report", () => {
  it("in the plain form is of all its models and all time", async () => {
    await answered(8, "writer", OVER);
    await answered(4, "reader", dayAgo(5));
    const { status, json } = await post({ usage: usage(12) });
    expect(status).toBe(200);
    expect(json).toEqual({
      model: null,
      day: null,
      reported: usage(12),
      counted: usage(12),
      difference: usage(0),
      flagged: false,
      provisional: false,
    });
  });

  it("of a model and day is compared with that day alone, and flagged beyond the threshold", async () => {
    await answered(20, "writer", OVER);
    await answered(3, "writer", dayAgo(2));
    await answered(5, "reader", OVER);
    const good = await post({ usage: usage(21), model: "writer", day: OVER });
    expect(good.json).toMatchObject({ model: "writer", day: OVER, counted: usage(20), flagged: false });
    const bad = await post({ usage: usage(22), model: "writer", day: OVER });
    expect(bad.json).toMatchObject({ difference: usage(2), counted: usage(20), flagged: true });
    const whole = await post({ usage: usage(25), day: OVER });
    expect(whole.json).toMatchObject({ model: null, day: OVER, counted: usage(25), flagged: false });
    const ever = await post({ usage: usage(23), model: `${owner.provider}/writer` });
    expect(ever.json).toMatchObject({ model: "writer", day: null, counted: usage(23), flagged: false });
  });

  it("may come as a list, and is answered in its order", async () => {
    await answered(20, "writer", OVER);
    const { status, json } = await post({
      reports: [
        { model: "reader", day: OVER, ...usage(0) },
        { model: "writer", day: OVER, ...usage(30) },
        { ...usage(20) },
      ],
    });
    expect(status).toBe(200);
    expect(json.reports).toMatchObject([
      { model: "reader", day: OVER, counted: usage(0), flagged: false },
      { model: "writer", day: OVER, counted: usage(20), difference: usage(10), flagged: true },
      { model: null, day: null, counted: usage(20), flagged: false },
    ]);
  });

  it("of a day that is not over is provisional, and never flagged", async () => {
    await answered(20, "writer", dayAgo(0));
    const { json } = await post({ usage: usage(500), model: "writer", day: dayAgo(0) });
    expect(json).toMatchObject({ counted: usage(20), flagged: false, provisional: true });
    expect((await uses())[0]).toMatchObject({ day: dayAgo(0), flagged: false, provisional: true });
    expect(await flagged()).toEqual([]);
  });

  it("may be of a model that was withdrawn", async () => {
    await answered(20, "reader", OVER);
    expect((await service.call("DELETE", "/v1/provider/models/reader", undefined, owner)).status).toBe(204);
    expect((await post({ usage: usage(20), model: "reader", day: OVER })).json.counted).toEqual(usage(20));
  });
});

describe("a flag", () => {
  it("is shown to the provider and to the operator, and goes with a newer report that agrees", async () => {
    await answered(20, "writer", OVER);
    await post({ usage: usage(40), model: "writer", day: OVER });
    const model = async () => (await get("/v1/provider/models/writer")).json.reconciliation;
    const listed = async () => {
      const { json } = await get("/v1/provider/models");
      return json.data.map((row: { name: string; reconciliation: object }) => [row.name, row.reconciliation]);
    };
    const untouched = { flagged: false, flagged_days: 0, last_flagged_day: null, last_reported_at: null };
    const reportedAt = expect.stringMatching(/^\d{4}-.*Z$/);
    const standing = { flagged: true, flagged_days: 1, last_flagged_day: OVER, last_reported_at: reportedAt };
    expect(await model()).toEqual(standing);
    expect(await listed()).toEqual(
      expect.arrayContaining([
        ["writer", standing],
        ["reader", untouched],
      ]),
    );
    expect(await flagged()).toEqual([
      {
        id: expect.any(String),
        account_id: owner.id,
        provider: owner.provider,
        model: "writer",
        day: OVER,
        reported: usage(40),
        counted: usage(20),
        difference: usage(20),
        flagged: true,
        provisional: false,
        reported_at: reportedAt,
      },
    ]);

    await post({ usage: usage(20), model: "writer", day: OVER });
    expect(await model()).toEqual({ ...standing, flagged: false, flagged_days: 0, last_flagged_day: null });
    expect(await flagged()).toEqual([]);
    expect(await uses()).toMatchObject([{ model: "writer", day: OVER, reported: usage(20), flagged: false }]);
  });

  it("is set by what the configuration says", async () => {
    const lenient = await startService((config) => ({
      ...config,
      reconciliation: { threshold: 0.5, minimumRequests: 3, graceMs: 2 * DAY_MS },
    }));
    const report = async (requests: number, day?: string) => {
      const body = { usage: usage(requests, 0), ...(day === undefined ? {} : { day }) };
      return (await lenient.call("POST", "/v1/provider/usage", body)).json;
    };
    expect(await report(2)).toMatchObject({ flagged: false });
    expect(await report(3)).toMatchObject({ flagged: true });
    expect(await report(3, dayAgo(1))).toMatchObject({ flagged: false, provisional: true });
    await lenient.stop();
  });
});

describe("GET /v1/provider/usage", () => {
  beforeEach(async () => {
    await answered(20, "writer", OVER);
    await answered(2, "reader", OVER);
    await answered(1, "writer", dayAgo(5));
    await post({ usage: usage(30), model: "writer", day: OVER });
  });

  const row = (model: string, day: string, requests: number) => ({
    provider: owner.provider,
    model,
    day,
    counted: usage(requests),
    reported: null,
    difference: null,
    flagged: false,
    provisional: false,
    reported_at: null,
  });

  it("lists every model and day, newest first, with what was reported", async () => {
    expect(await uses()).toEqual([
      row("reader", OVER, 2),
      {
        ...row("writer", OVER, 20),
        reported: usage(30),
        difference: usage(10),
        flagged: true,
        reported_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      row("writer", dayAgo(5), 1),
    ]);
  });

  it("is narrowed by days, which both count, and by a model", async () => {
    const days = async (query: string) =>
      (await uses(query)).map(({ model, day }: { model: string; day: string }) => `${model} ${day}`);
    const [reader, writer, early] = [`reader ${OVER}`, `writer ${OVER}`, `writer ${dayAgo(5)}`];
    expect(await days(`?from=${OVER}`)).toEqual([reader, writer]);
    expect(await days(`?to=${dayAgo(4)}`)).toEqual([early]);
    expect(await days(`?from=${dayAgo(5)}&to=${OVER}`)).toEqual([reader, writer, early]);
    expect(await days("?model=writer")).toEqual([writer, early]);
    expect(await days(`?model=${owner.provider}/reader&from=${dayAgo(9)}`)).toEqual([reader]);
  });

  it("comes in pages that neither skip nor repeat", async () => {
    const whole = await uses();
    const seen: unknown[] = [];
    let query = "?limit=1";
    for (;;) {
      const { json } = await get(`/v1/provider/usage${query}`);
      seen.push(...json.data);
      if (json.next_cursor === null) break;
      query = `?limit=1&cursor=${json.next_cursor}`;
    }
    expect(seen).toEqual(whole);
  });

  it("is a CSV file of the whole range where one is asked for", async () => {
    const { status, headers, text } = await get("/v1/provider/usage?limit=1", { accept: "text/csv" });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = text.trimEnd().split("\r\n");
    expect(lines[0]).toBe(
      "provider,model,day,counted_requests,counted_tokens_processed,reported_requests,reported_tokens_processed,difference_requests,difference_tokens_processed,flagged,provisional,reported_at",
    );
    expect(lines).toHaveLength(4);
    expect(lines[1]).toBe(`${owner.provider},reader,${OVER},2,60,,,,,false,false,`);
    expect(lines[2]).toMatch(`${owner.provider},writer,${OVER},20,600,30,900,10,300,true,false,20`);
  });

  it("is the caller's own alone", async () => {
    const other = await openCustomer(service, 0);
    const { json } = await service.call("GET", "/v1/provider/usage", undefined, { key: other.key });
    expect(json).toEqual({ data: [], next_cursor: null });
  });
});
