import { newId } from "@trunkline/core/id.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loggedToken, newAddress, openBrowser, PASSWORD, signUp, startBrowserService } from "../support/browser.ts";
import type { StartedService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startBrowserService();
});
afterAll(() => service.stop());

describe("signing up", () => {
  it("makes a person and their organisation once the address is proven, and logs them in", async () => {
    const email = newAddress();
    const browser = openBrowser(service);
    const asked = await browser.post("/v1/auth/sign-up", {
      email: `  ${email.toUpperCase()} `,
      password: PASSWORD,
      name: "Ada Lovelace",
      organisation: "Engines Ltd",
    });
    expect(asked.json).toEqual({ sent: "log" });
    expect(await service.services.identity.people.findByEmail(email)).toBeUndefined();
    const verified = await browser.post("/v1/auth/verify", {
      token: await loggedToken(service, email, "verify"),
    });
    expect(verified.json).toEqual({ done: "sign_up", has_password: true });
    const { json } = await browser.call("GET", "/v1/session");
    expect(json).toMatchObject({
      person: {
        email,
        name: "Ada Lovelace",
        email_verified: true,
        has_password: true,
        has_totp: false,
        passkeys: 0,
      },
      account: { name: "Engines Ltd", role: "owner", operator: false },
      accounts: [{ name: "Engines Ltd", role: "owner" }],
      features: { mail: false, sign_up: "open", card: false, wallet: false, public_models: false },
    });
    expect(json.powers).toContain("organisation.close");
    expect(json.powers).not.toContain("operator.read");
  });

  it("answers the same for a known address as for an unknown one, and tells the mailbox alone", async () => {
    const { email } = await signUp(service);
    const answers = [];
    for (const address of [email, newAddress()]) {
      const answer = await openBrowser(service).post("/v1/auth/sign-up", {
        email: address,
        password: PASSWORD,
        name: "Eve",
      });
      answers.push({
        status: answer.status,
        json: answer.json,
        headers: [...answer.headers.keys()].filter((name) => name !== "date").toSorted(),
        cookies: answer.headers.getSetCookie().map((line) => line.replace(/=[^;]+/, "")),
      });
    }
    expect(answers[0]).toEqual(answers[1]);
    await expect
      .poll(() => service.logged())
      .toContain(`"to":"${email}","subject":"You have a Trunkline account already"`);
    expect(await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD })).toMatchObject({
      status: 200,
    });
  });

  it.each([
    ["too short", "Xk2#vw9q", /at least 10/],
    ["in lists of stolen ones", "password123456", /./],
    ["made of the owner's own names", "ada.lovelace", /name or address|easy to guess/],
    ["a row of keys", "qwertyuiop", /./],
    ["too long", "orchid tractor ".repeat(20), /at most 256/],
  ])("refuses a password that is %s, with advice", async (_, password, advice) => {
    const answer = await openBrowser(service).post("/v1/auth/sign-up", {
      email: "ada.lovelace@example.test",
      name: "Ada Lovelace",
      password,
    });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ type: "invalid_request", param: "password" });
    expect(answer.json.error.message).toMatch(advice);
  });

  it.each(["no-address", "a@b@c.test", "two words@x.test", "x@y.test, z@y.test", "<x@y.test>", "x\r\nbcc@y.test"])(
    "refuses what is no address: %j",
    async (email) => {
      const answer = await openBrowser(service).post("/v1/auth/sign-up", {
        email,
        password: PASSWORD,
        name: "A",
      });
      expect(answer.json.error).toMatchObject({ type: "invalid_request", param: "email" });
    },
  );

  it("can do without a password", async () => {
    const email = newAddress();
    const browser = openBrowser(service);
    await browser.post("/v1/auth/sign-up", { email, name: "Ada" });
    const token = await loggedToken(service, email, "verify");
    const verified = await browser.post("/v1/auth/verify", { token });
    expect(verified.json).toEqual({ done: "sign_up", has_password: false });
    const { json } = await browser.call("GET", "/v1/session");
    expect(json.person.has_password).toBe(false);
    expect(json.account.name).toBe("Ada's organisation");
  });
});

describe("sign-up credits", () => {
  it("are given once for each address, also when it is free again", async () => {
    await service.call("PATCH", "/v1/admin/settings", { welcome_credits: 3 });
    const balanceOf = async (browser: ReturnType<typeof openBrowser>) =>
      (await browser.call("GET", "/v1/balance")).json.balance;
    const email = newAddress();
    const join = async (address: string) => {
      const browser = openBrowser(service);
      await browser.post("/v1/auth/sign-up", { email: address, password: PASSWORD, name: "Ada" });
      await browser.post("/v1/auth/verify", { token: await loggedToken(service, address, "verify") });
      return browser;
    };
    const first = await join(email);
    expect(await balanceOf(first)).toBe(3);
    expect((await first.call("GET", "/v1/receipts")).json.data).toMatchObject([
      { kind: "grant", amount: 3, description: "Credits for signing up" },
    ]);
    const person = await service.services.identity.people.findByEmail(email);
    const [second, third] = [newAddress(), newAddress()];
    for (const address of [second, third])
      expect(await service.services.identity.people.change(person?.id ?? "", { email: address })).toBe(true);
    for (const [address, credits] of [
      [email.toUpperCase(), 0n],
      [second, 0n],
      [newAddress(), 5n],
    ] as const) {
      const made = await service.services.identity.people.create(
        { id: newId(), email: address, name: "Ada", passwordHash: undefined, emailVerified: true },
        { organisation: "Again", credits: 5n },
      );
      const [row] = await service.database.query<{ total: bigint }>(
        `SELECT coalesce(sum(l.balance), 0)::bigint AS total FROM members m JOIN ledger_accounts l USING (account_id)
         WHERE m.person_id = $1`,
        [made?.id],
      );
      expect(row?.total).toBe(credits);
    }
    await service.call("PATCH", "/v1/admin/settings", { welcome_credits: 0 });
  });
});

describe("the link in the mail", () => {
  it("works once", async () => {
    const email = newAddress();
    const browser = openBrowser(service);
    await browser.post("/v1/auth/sign-up", { email, password: PASSWORD, name: "Ada" });
    const token = await loggedToken(service, email, "verify");
    const answers = await Promise.all([1, 2, 3].map(() => browser.post("/v1/auth/verify", { token })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 404, 404]);
    const again = await browser.post("/v1/auth/verify", { token });
    expect(again.json.error.type).toBe("not_found");
  });

  it("of a second tab is dead once the first tab's was opened", async () => {
    const email = newAddress();
    const browser = openBrowser(service);
    await browser.post("/v1/auth/sign-up", { email, password: PASSWORD, name: "Ada" });
    const first = await loggedToken(service, email, "verify");
    await browser.post("/v1/auth/sign-up", { email, password: PASSWORD, name: "Ada" });
    await expect.poll(() => loggedToken(service, email, "verify")).not.toBe(first);
    const second = await loggedToken(service, email, "verify");
    expect((await browser.post("/v1/auth/verify", { token: first })).json).toEqual({
      done: "sign_up",
      has_password: true,
    });
    expect((await browser.post("/v1/auth/verify", { token: second })).status).toBe(404);
  });

  it("opened in another browser does not accept the password of the sign-up", async () => {
    const email = newAddress();
    await openBrowser(service).post("/v1/auth/sign-up", { email, password: PASSWORD, name: "Eve" });
    const owner = openBrowser(service);
    const verified = await owner.post("/v1/auth/verify", {
      token: await loggedToken(service, email, "verify"),
    });
    expect(verified.json).toEqual({ done: "sign_up", has_password: false });
    const eve = await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(eve.json.error.type).toBe("invalid_login");
    expect((await owner.post("/v1/me/password", { password: "lantern quartz ribbon fog" })).status).toBe(204);
  });

  it("is not taken for one of another purpose", async () => {
    const { email } = await signUp(service);
    await openBrowser(service).post("/v1/auth/forgot", { email });
    const token = await loggedToken(service, email, "reset");
    expect((await openBrowser(service).post("/v1/auth/verify", { token })).status).toBe(404);
  });
});

describe("a service with closed sign-up", () => {
  it.each(["invited", "closed"] as const)("says so where it is %s", async (signUpTerms) => {
    const closed = await startBrowserService((config) => ({ ...config, signUp: signUpTerms }));
    try {
      const browser = openBrowser(closed);
      const answer = await browser.post("/v1/auth/sign-up", {
        email: newAddress(),
        password: PASSWORD,
        name: "A",
      });
      expect(answer.status).toBe(403);
      expect(answer.json.error.type).toBe("sign_up_closed");
      const features = await browser.call("GET", "/v1/auth/features");
      expect(features.json).toMatchObject({ mail: false, sign_up: signUpTerms, wallet: false });
    } finally {
      await closed.stop();
    }
  });
});

describe("the meter", () => {
  it("tells a good password from a bad one, and leaves no trace of either", async () => {
    const browser = openBrowser(service);
    const good = await browser.post("/v1/auth/password-strength", { password: PASSWORD });
    expect(good.json).toEqual({ score: 4, advice: null });
    const bad = await browser.post("/v1/auth/password-strength", { password: "trunkline1234" });
    expect(bad.json.score).toBeLessThan(4);
    expect(service.logged()).not.toContain("trunkline1234");
  });
});
