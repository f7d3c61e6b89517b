import { Authenticator } from "@trunkline/testing/authenticator.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  loggedToken,
  newAddress,
  openBrowser,
  signUp,
  startBrowserService,
  type TestBrowser,
} from "../support/browser.ts";
import type { StartedService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startBrowserService();
});
afterAll(() => service.stop());

async function addPasskey(browser: TestBrowser, key = new Authenticator(), origin = service.url) {
  const { json } = await browser.post("/v1/me/passkeys/options");
  const response = key.register(json.options, origin);
  return {
    key,
    added: await browser.post("/v1/me/passkeys", { ticket: json.ticket, response, name: "Laptop" }),
  };
}

async function logIn(key: Authenticator, { origin = service.url, rpId = undefined as string | undefined } = {}) {
  const browser = openBrowser(service);
  const { json } = await browser.post("/v1/auth/passkey-options");
  const response = key.answer({ ...json.options, ...(rpId === undefined ? {} : { rpId }) }, origin);
  const body = { ticket: json.ticket, response };
  return { browser, body, answer: await browser.post("/v1/auth/passkey", body) };
}

/** A person without a password. */
async function signUpWithout() {
  const email = newAddress();
  const browser = openBrowser(service);
  await browser.post("/v1/auth/sign-up", { email, name: "Ada" });
  await browser.post("/v1/auth/verify", { token: await loggedToken(service, email, "verify") });
  return browser;
}

describe("a passkey", () => {
  it("is added, and logs in by itself without any address", async () => {
    const { browser, email } = await signUp(service);
    const { key, added } = await addPasskey(browser);
    expect(added.status, added.text).toBe(201);
    expect(added.json).toMatchObject({
      id: key.id.toString("base64url"),
      name: "Laptop",
      last_used_at: null,
    });
    const { browser: other, answer } = await logIn(key);
    expect(answer.json).toEqual({ second_factor: false });
    expect((await other.call("GET", "/v1/session")).json.person).toMatchObject({ email, passkeys: 1 });
    const { json } = await other.call("GET", "/v1/me/passkeys");
    expect(json).toMatchObject({
      data: [{ name: "Laptop", last_used_at: expect.any(String) }],
      next_cursor: null,
    });
  });

  it("asks for discoverable keys and a verified user, at the host the browser is at", async () => {
    const { browser } = await signUp(service);
    const { json } = await browser.post("/v1/me/passkeys/options");
    expect(json.options).toMatchObject({
      rp: { id: "127.0.0.1", name: "Trunkline" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    const asked = await openBrowser(service).post("/v1/auth/passkey-options");
    expect(asked.json.options).toMatchObject({ rpId: "127.0.0.1", userVerification: "required" });
    expect(asked.json.options.allowCredentials ?? []).toEqual([]);
  });

  it("counts as both factors", async () => {
    const { browser } = await signUp(service);
    const { key } = await addPasskey(browser);
    const { Secret, TOTP } = await import("otpauth");
    const { json } = await browser.post("/v1/me/totp");
    const code = new TOTP({ secret: Secret.fromBase32(json.secret) }).generate();
    expect((await browser.post("/v1/me/totp/confirm", { code })).status).toBe(200);
    expect((await logIn(key)).answer.json).toEqual({ second_factor: false });
  });

  it.each([
    ["made for another site", (key: Authenticator) => logIn(key, { rpId: "evil.example" })],
    ["used on another site", (key: Authenticator) => logIn(key, { origin: "https://evil.example" })],
    ["used on another port", (key: Authenticator) => logIn(key, { origin: "http://127.0.0.1:1" })],
    [
      "used without verifying the user",
      (key: Authenticator) => {
        key.verifiesUser = false;
        return logIn(key);
      },
    ],
  ])("does not log in where it is %s", async (_, attempt) => {
    const { browser } = await signUp(service);
    const { key } = await addPasskey(browser);
    const { answer } = await attempt(key);
    expect(answer.json.error).toMatchObject({ type: "invalid_login", code: 401 });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it("is unknown until it was added, and answers like any other wrong one", async () => {
    expect((await logIn(new Authenticator())).answer.json.error.type).toBe("invalid_login");
  });

  it("answers each challenge once", async () => {
    const { browser } = await signUp(service);
    const { key } = await addPasskey(browser);
    const { body, answer } = await logIn(key);
    expect(answer.status).toBe(200);
    const replay = await openBrowser(service).post("/v1/auth/passkey", body);
    expect(replay.json.error.type).toBe("invalid_login");
    const swapped = {
      ...body,
      ticket: (await openBrowser(service).post("/v1/auth/passkey-options")).json.ticket,
    };
    expect((await openBrowser(service).post("/v1/auth/passkey", swapped)).status).toBe(401);
  });

  it("whose counter does not grow is a copy, and is refused", async () => {
    const { browser } = await signUp(service);
    const { key } = await addPasskey(browser);
    key.counter = 7;
    expect((await logIn(key)).answer.status).toBe(200);
    expect((await logIn(key)).answer.status).toBe(401);
    key.counter = 8;
    expect((await logIn(key)).answer.status).toBe(200);
  });

  it("can't be added on another site, with another's ticket, or twice", async () => {
    const { browser } = await signUp(service);
    const { added } = await addPasskey(browser, new Authenticator(), "https://evil.example");
    expect(added.json.error).toMatchObject({ type: "invalid_request", param: "response" });
    const { browser: other } = await signUp(service);
    const { json } = await other.post("/v1/me/passkeys/options");
    const key = new Authenticator();
    const response = key.register(json.options, service.url);
    const stolen = await browser.post("/v1/me/passkeys", { ticket: json.ticket, response, name: "x" });
    expect(stolen.json.error.type).toBe("not_found");
    const { key: mine } = await addPasskey(browser);
    expect((await addPasskey(browser, mine)).added.json.error.type).toBe("conflict");
  });

  it("is renamed and removed by its owner alone", async () => {
    const { browser } = await signUp(service);
    const { key } = await addPasskey(browser);
    const path = `/v1/me/passkeys/${key.id.toString("base64url")}`;
    const { browser: other } = await signUp(service);
    expect((await other.call("PATCH", path, { name: "mine now" })).status).toBe(404);
    expect((await other.call("DELETE", path)).status).toBe(404);
    expect((await browser.call("PATCH", path, { name: "Phone" })).json.name).toBe("Phone");
    expect((await browser.call("DELETE", path)).status).toBe(204);
    expect((await logIn(key)).answer.status).toBe(401);
    expect((await browser.call("DELETE", path)).status).toBe(404);
  });

  it("stays where it is the last way to log in, also when two remove the last two at once", async () => {
    const browser = await signUpWithout();
    const first = await addPasskey(browser);
    const path = (key: Authenticator) => `/v1/me/passkeys/${key.id.toString("base64url")}`;
    expect((await browser.call("DELETE", path(first.key))).json.error.type).toBe("conflict");
    const second = await addPasskey(browser);
    const removed = await Promise.all([first, second].map(({ key }) => browser.call("DELETE", path(key))));
    expect(removed.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([204, 409]);
  });
});
