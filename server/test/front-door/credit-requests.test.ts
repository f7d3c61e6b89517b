import { Secret } from "@trunkline/core/secret.ts";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { type MailServer, startMailServer } from "@trunkline/testing/mail-server.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember, type TestMember } from "../support/member.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let mail: MailServer;
let operator: TestMember;

beforeAll(async () => {
  mail = await startMailServer();
  const withMail = { mail: { url: new Secret(mail.url), from: "Trunkline <no-reply@example.test>" } };
  service = await startService((config) => ({ ...config, ...withMail }));
  const account = await service.services.identity.accounts.findOperator();
  operator = await openMember(service, "owner", account?.id);
});

afterAll(async () => {
  await service.stop();
  await mail.stop();
});

const PATH = "/v1/billing/credit-requests";
const askFor = (member: TestMember, message = "For a course of 30 students.") => member.call("POST", PATH, { message });
const decide = (id: string, how: "grant" | "decline", body?: unknown) =>
  operator.call("POST", `/v1/admin/credit-requests/${id}/${how}`, body);
const mailedTo = (email: string, subject: string) =>
  expect
    .poll(() => mail.mails.some(({ to, source }) => to.includes(email) && source.includes(`Subject: ${subject}`)))
    .toBe(true);

describe("a request for credits", () => {
  it("is seen by the operator, who grants it, and tells the person who asked", async () => {
    const member = await openMember(service);
    const asked = await askFor(member, "  For a course of 30 students. ");
    expect(asked.status, asked.text).toBe(201);
    expect(asked.json).toMatchObject({
      message: "For a course of 30 students.",
      requested_by: member.email,
      state: "open",
      amount: null,
      reply: null,
      decided_at: null,
    });
    await mailedTo(operator.email, "An organisation asks for credits");
    const { json: waiting } = await operator.call("GET", "/v1/admin/credit-requests?state=open");
    expect(waiting.data[0]).toMatchObject({
      id: asked.json.id,
      account: { id: member.accountId, name: "An organisation", balance: 0 },
    });
    const granted = await decide(asked.json.id, "grant", { amount: 12.5, reply: "Enjoy the course." });
    expect(granted.json).toMatchObject({ state: "granted", amount: 12.5, account: { balance: 12.5 } });
    expect((await member.call("GET", "/v1/balance")).json.balance).toBe(12.5);
    expect((await member.call("GET", PATH)).json.data).toMatchObject([
      { state: "granted", amount: 12.5, reply: "Enjoy the course.", decided_at: expect.any(String) },
    ]);
    await mailedTo(member.email, "Your credits were granted");
    // The words of one side are never mailed in the service's name.
    expect(mail.mails.map(({ text }) => text).join()).not.toContain("course");
  });

  it("is one at a time, until it is decided or withdrawn", async () => {
    const member = await openMember(service);
    const asked = await Promise.all(Array.from({ length: 3 }, () => askFor(member)));
    expect(asked.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409]);
    const first = asked.find(({ status }) => status === 201)?.json.id;
    expect((await decide(first, "decline", { reply: "Not this month." })).json).toMatchObject({ state: "declined" });
    await mailedTo(member.email, "Your request for credits was declined");
    const second = await askFor(member);
    expect(second.status).toBe(201);
    expect((await member.call("DELETE", `${PATH}/${second.json.id}`)).status).toBe(204);
    expectRefusal(await member.call("DELETE", `${PATH}/${second.json.id}`), 404, "not_found");
    const states = (await member.call("GET", PATH)).json.data.map(({ state }: { state: string }) => state);
    expect(states).toEqual(["withdrawn", "declined"]);
    expect((await member.call("GET", "/v1/balance")).json.balance).toBe(0);
    // Five tries a day are spent with this one.
    expect((await askFor(member)).status).toBe(201);
    const sixth = await askFor(member);
    expectRefusal(sixth, 429, "rate_limited");
    expect(Number(sixth.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("is decided once, also where two decide at the same time", async () => {
    const member = await openMember(service);
    const { json } = await askFor(member);
    const decisions = await Promise.all([
      decide(json.id, "grant", { amount: 1 }),
      decide(json.id, "grant", { amount: 1 }),
      decide(json.id, "decline"),
      member.call("DELETE", `${PATH}/${json.id}`),
    ]);
    expect(decisions.filter(({ status }) => status < 300)).toHaveLength(1);
    for (const refused of decisions.filter(({ status }) => status >= 300)) expectRefusal(refused, 404, "not_found");
    const isGranted = decisions.slice(0, 2).some(({ status }) => status === 200);
    expect((await member.call("GET", "/v1/balance")).json.balance).toBe(isGranted ? 1 : 0);
  });

  it.each([{}, { message: "" }, { message: "  " }, { message: 5 }, { message: "m".repeat(501) }])(
    "needs a sentence: %j",
    async (body) => {
      const answer = await (await openMember(service)).call("POST", PATH, body);
      expectRefusal(answer, 400, "invalid_request", { param: "message" });
    },
  );

  it.each([{}, { amount: 0 }, { amount: -1 }, { amount: 1_000_001 }, { amount: "1" }])(
    "is granted by an amount: %j",
    async (body) => {
      const { json } = await askFor(await openMember(service));
      const answer = await decide(json.id, "grant", body);
      expectRefusal(answer, 400, "invalid_request", { param: "amount" });
    },
  );

  it("is neither for the operator's own account nor seen by others", async () => {
    expectRefusal(await askFor(operator), 409, "conflict");
    const member = await openMember(service);
    const { json } = await askFor(member);
    const other = await openMember(service);
    expect((await other.call("GET", PATH)).json.data).toEqual([]);
    expectRefusal(await other.call("DELETE", `${PATH}/${json.id}`), 404, "not_found");
    expectRefusal(await decide("no-id", "decline"), 404, "not_found");
    expect((await member.call("GET", "/v1/admin/credit-requests")).status).toBe(403);
    const developer = await openMember(service, "developer", member.accountId);
    expectRefusal(await askFor(developer), 403, "insufficient_role");
  });
});
