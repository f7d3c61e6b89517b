import { expect } from "vitest";
import type { Config } from "../../src/app/config/config.ts";
import { type Answer, call, type StartedService, startService } from "./started-service.ts";

/** A browser at the service's own pages: it keeps cookies and says where its page is from. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
}

let browsers = 0;

/** Each comes from a network address of its own, where the service believes what a proxy says. */
export function openBrowser({ url }: Pick<StartedService, "url">, origin: string = url): TestBrowser {
  browsers += 1;
  const address = `10.1.${browsers >> 8}.${browsers & 255}`;
  const cookies = new Map<string, string>();
  const browser: TestBrowser = {
    cookies,
    async call(method, path, body, headers) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await call(url, method, path, body, {
        key: null,
        headers: { origin, "x-forwarded-for": address, ...(cookie === "" ? {} : { cookie }), ...headers },
      });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/Max-Age=0\b/.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    },
    post: (path, body = {}) => browser.call("POST", path, body),
  };
  return browser;
}

/** A service that believes the proxies of these browsers, with what a test changes. */
export function startBrowserService(change: (config: Config) => Config = (config) => config): Promise<StartedService> {
  return startService((config) => change({ ...config, trustProxy: true }));
}

export const PASSWORD = "orchid tractor velvet moon";

/** The secret of the newest link that a service without a mail server logged for this address. */
export async function loggedToken(service: StartedService, email: string, page: string): Promise<string> {
  let token: string | undefined;
  await expect
    .poll(() => {
      const lines = service
        .logged()
        .split("\n")
        .filter((line) => line.includes(`"to":"${email}"`));
      token = lines.map((line) => new RegExp(`/${page}#([\\w-]{43})"`).exec(line)?.[1]).findLast(Boolean);
      return token;
    })
    .toBeDefined();
  return token ?? "";
}

let people = 0;

/** An email address that is not in use. */
export function newAddress(): string {
  people += 1;
  return `person-${process.pid}-${people}@example.test`;
}

/** Signs a person up and logs them in. */
export async function signUp(service: StartedService, email = newAddress()) {
  const browser = openBrowser(service);
  const asked = await browser.post("/v1/auth/sign-up", { email, password: PASSWORD, name: "Ada" });
  expect(asked.status, asked.text).toBe(202);
  const verified = await browser.post("/v1/auth/verify", {
    token: await loggedToken(service, email, "verify"),
  });
  expect(verified.status, verified.text).toBe(200);
  return { browser, email };
}
