import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loggedToken, newAddress, openBrowser, PASSWORD, signUp, startBrowserService } from "../support/browser.ts";
import { changeRows } from "../support/change-rows.ts";
import { type StartedService, startSibling } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startBrowserService();
});
afterAll(() => service.stop());

const NEW_PASSWORD = "lantern quartz ribbon fog";

/** An attacker with another person's session asks for an address of their own, and keeps the link. */
async function askForStrangersAddress() {
  const { browser, email } = await signUp(service);
  const strangers = newAddress();
  expect((await browser.call("PATCH", "/v1/me", { email: strangers })).status).toBe(200);
  return { browser, email, link: await loggedToken(service, strangers, "verify") };
}

describe("an attacker who asked for another address in a person's account", () => {
  it("can't use the link any more once the password was reset", async () => {
    const { email, link } = await askForStrangersAddress();
    await openBrowser(service).post("/v1/auth/forgot", { email });
    const token = await loggedToken(service, email, "reset");
    const own = openBrowser(service);
    expect((await own.post("/v1/auth/reset", { token, password: NEW_PASSWORD })).status).toBe(200);
    expect((await openBrowser(service).post("/v1/auth/verify", { token: link })).status).toBe(404);
    expect((await own.call("GET", "/v1/me")).json.email).toBe(email);
  });

  it("can't use the link any more once the password was changed, or all sessions were ended", async () => {
    for (const end of ["password", "sessions"]) {
      const { browser, link } = await askForStrangersAddress();
      const ended =
        end === "sessions"
          ? await browser.call("DELETE", "/v1/me/sessions")
          : await browser.post("/v1/me/password", { current: PASSWORD, password: NEW_PASSWORD });
      expect(ended.status).toBe(204);
      expect((await openBrowser(service).post("/v1/auth/verify", { token: link })).status, end).toBe(404);
    }
  });
});

describe("an attacker who opened an account under an address that is not theirs", () => {
  it("keeps neither passkey, second factor nor session once its owner resets the password", async () => {
    const { browser: attacker, email } = await signUp(service);
    const [person] = await changeRows(
      service,
      "UPDATE people SET email_verified_at = NULL, totp_confirmed_at = now(), sealed_totp = 'x' WHERE email = $1 RETURNING id",
      [email],
    );
    await changeRows(
      service,
      "INSERT INTO passkeys (id, person_id, name, public_key, counter, transports, backed_up) VALUES ('theirs', $1, 'x', 'x', 0, '{}', false)",
      [person?.id],
    );
    await openBrowser(service).post("/v1/auth/forgot", { email });
    const token = await loggedToken(service, email, "reset");
    const owner = openBrowser(service);
    expect((await owner.post("/v1/auth/reset", { token, password: NEW_PASSWORD })).status).toBe(200);
    expect((await owner.call("GET", "/v1/me")).json).toMatchObject({ email, email_verified: true });
    expect((await attacker.call("GET", "/v1/me")).status).toBe(401);
    const kept = await changeRows(service, "SELECT id FROM passkeys WHERE person_id = $1", [person?.id]);
    expect(kept).toEqual([]);
  });
});

describe("an attacker who knows the old password", () => {
  it("is not let in where it changes during their log-in", async () => {
    const { browser, email } = await signUp(service);
    const { people } = service.services.identity;
    const homeOf = people.homeOf.bind(people);
    vi.spyOn(people, "homeOf").mockImplementationOnce(async (personId) => {
      expect((await browser.post("/v1/me/password", { password: NEW_PASSWORD })).status).toBe(204);
      return homeOf(personId);
    });
    const answer = await openBrowser(service).post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(answer.json.error.type).toBe("invalid_login");
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await browser.call("GET", "/v1/me/sessions")).json.data).toHaveLength(1);
  });
});

describe("a client behind a proxy", () => {
  it("is known by the address that the proxy saw, not by one that they claim", async () => {
    const { email } = await signUp(service);
    const browser = openBrowser(service);
    await browser.call(
      "POST",
      "/v1/auth/log-in",
      { email, password: PASSWORD },
      {
        "x-forwarded-for": "198.51.100.66, 10.7.7.7",
      },
    );
    const { json } = await browser.call("GET", "/v1/me/sessions");
    expect(json.data[0].address).toBe("10.7.7.7");
  });
});

describe("an e-mail address", () => {
  it("is refused where its one form is none, whatever it was written with", async () => {
    for (const email of ["a＠b.example@evil.example", "a，b@evil.example", "a´b@evil.example"]) {
      const answer = await openBrowser(service).post("/v1/auth/forgot", { email });
      expect(answer.json.error, email).toMatchObject({ type: "invalid_request", param: "email" });
    }
  });
});

describe("a browser that is known", () => {
  it("keeps its cookie, so that repeated log-ins give no further tries", async () => {
    const { browser, email } = await signUp(service);
    const mark = browser.cookies.get("trunkline_device");
    await browser.post("/v1/auth/log-in", { email, password: PASSWORD });
    expect(browser.cookies.get("trunkline_device")).toBe(mark);
  });
});

describe("a cookie", () => {
  it("is secure where the page is an https one, also behind a proxy that is not believed", async () => {
    const { email } = await signUp(service);
    const origin = "https://trunkline.example";
    const sibling = await startSibling(service, (config) => ({
      ...config,
      trustProxy: false,
      publicUrl: origin,
    }));
    try {
      const answer = await openBrowser(sibling, origin).post("/v1/auth/log-in", {
        email,
        password: PASSWORD,
      });
      expect(answer.status, answer.text).toBe(200);
      for (const cookie of answer.headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/);
    } finally {
      await sibling.stop();
    }
  });
});

describe("a passkey's answer that no browser gives", () => {
  it("is refused without a trace in the log", async () => {
    const answer = await openBrowser(service).post("/v1/auth/passkey", {
      ticket: "x",
      response: {
        id: "a\0b",
        rawId: "a\0b",
        type: "public-key",
        response: { clientDataJSON: "", authenticatorData: "", signature: "" },
      },
    });
    expect(answer.status).toBe(400);
  });
});

describe("a body without authentication", () => {
  it("is read no further than any page of ours would make it", async () => {
    const body = { email: newAddress(), password: "x", more: "x".repeat(100_000) };
    const answer = await openBrowser(service).post("/v1/auth/log-in", body);
    expect(answer.json.error).toMatchObject({ type: "payload_too_large", code: 413 });
  });
});

describe("a sign-up that was begun", () => {
  it("does not go through once the operator has closed sign-up", async () => {
    const email = newAddress();
    const browser = openBrowser(service);
    await browser.post("/v1/auth/sign-up", { email, password: PASSWORD, name: "Ada" });
    const token = await loggedToken(service, email, "verify");
    await service.call("PATCH", "/v1/admin/settings", { sign_up: "closed" });
    const refused = await browser.post("/v1/auth/verify", { token });
    expect(refused.json.error).toMatchObject({ type: "sign_up_closed" });
    await service.call("PATCH", "/v1/admin/settings", { sign_up: "open" });
    expect((await browser.post("/v1/auth/verify", { token })).status).toBe(200);
  });
});
