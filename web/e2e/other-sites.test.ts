import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMember } from "../../server/test/support/member.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../../server/test/support/started-service.ts";
import { openChromium } from "./chromium.ts";
import { openVisitor } from "./visit.ts";

let browser: Browser;
let service: StartedService;
/** Another site, on another port of this machine: so near that browsers even send the cookie along. */
let other: Server;
let otherUrl: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([openChromium(), startService()]);
  other = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Another site</title>
      <form method="post" action="${service.url}/v1/keys" enctype="text/plain">
        <input name='{"name":"stolen","scopes":["read"],"x":"' value='"}'><button>Win</button>
      </form>
      <iframe src="${service.url}/keys"></iframe>`);
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await browser.close();
  await service.stop();
  await new Promise((resolve) => other.close(resolve));
});

describe("a page of another site, open in the browser of somebody who is logged in", () => {
  it("changes nothing by a form, by a fetch, or in a frame", async () => {
    const member = await openMember(service);
    const { page, context } = await openVisitor(browser, service.url, { member });
    await page.goto(otherUrl);
    const outcomes = await page.evaluate(async (target) => {
      const body = JSON.stringify({ name: "stolen", scopes: ["read"] });
      const tries: RequestInit[] = [
        { method: "POST", body, headers: { "content-type": "application/json" } },
        { method: "POST", body, headers: { "content-type": "text/plain" }, mode: "no-cors" },
        { method: "GET" },
      ];
      return Promise.all(
        tries.map(async (terms) => {
          try {
            const answer = await fetch(`${target}/v1/keys`, { credentials: "include", ...terms });
            return answer.type === "opaque" ? "unreadable" : `read ${answer.status}`;
          } catch {
            return "refused";
          }
        }),
      );
    }, service.url);
    expect(outcomes).toEqual(["refused", "unreadable", "refused"]);
    const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
    expect(frame?.url()).toBe("chrome-error://chromewebdata/");
    await page.getByRole("button", { name: "Win" }).click();
    await page.waitForURL(/\/v1\/keys$/);
    expect(await page.locator("body").textContent()).toContain("cross_site");
    const { json } = await member.call("GET", "/v1/keys");
    expect(json.data).toEqual([]);
    await context.close();
  });
});

it("a page of another site uses a key for inference by OpenAI's paths, and learns why another key is refused", async () => {
  const made = await service.call("POST", "/v1/keys", { name: "page", scopes: ["inference"] });
  const { page, context } = await openVisitor(browser, service.url);
  await page.goto(otherUrl);
  const ask = (key: string) =>
    page.evaluate(
      async ([target, secret]) => {
        const answer = await fetch(`${target}/v1/embeddings`, {
          method: "POST",
          body: JSON.stringify({ model: "embed", input: "Hello" }),
          headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, "x-stainless-lang": "js" },
        });
        return { status: answer.status, id: answer.headers.get("x-request-id"), body: await answer.json() };
      },
      [service.url, key] as const,
    );
  expect(await ask(made.json.key)).toMatchObject({ status: 200, id: expect.any(String), body: { object: "list" } });
  expect(await ask(OPERATOR_KEY)).toMatchObject({
    status: 403,
    body: { error: { message: expect.stringContaining("`origins`") } },
  });
  await context.close();
});
