import { lookup } from "node:dns/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HttpServer } from "../../src/http/server/http-server.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

describe("the HTTP server", () => {
  it("answers requests that come together, though the first of them loads what serves them", async () => {
    const paths = ["/v1/models", "/v1/keys", "/openapi.json", "/v1/nothing", "/docs/", "/v1/models"];
    const statuses = paths.map(async (path) => (await service.call("GET", path)).status);
    expect(await Promise.all(statuses)).toEqual([200, 200, 200, 404, 200, 200]);
  });

  it.each([
    ["HEAD", 200],
    ["POST", 405],
    ["PROPFIND", 405],
  ])("treats the pages for what watches over a service as all others: %s", async (method, status) => {
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${OPERATOR_KEY}` },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it("is at every address of localhost", async () => {
    const app = new HttpServer(service.services);
    const url = new URL(await app.listen({ port: 0, host: "localhost" }));
    const addresses = await lookup("localhost", { all: true });
    for (const { address, family } of addresses) {
      url.hostname = family === 6 ? `[${address}]` : address;
      const answer = await fetch(new URL("/readyz", url), { headers: { connection: "close" } });
      expect(await answer.json()).toEqual({ status: "ready" });
    }
    await app.close();
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("goes on answering where the rest of the program can't be loaded, and tries that again", async () => {
    let isThere = false;
    const app = new HttpServer(service.services, () =>
      isThere ? import("../../src/http/server/other-requests.ts") : Promise.reject(new Error("no such file")),
    );
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const headers = { authorization: `Bearer ${OPERATOR_KEY}`, connection: "close" };
    const refused = await fetch(`${url}/v1/models`, { headers });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { type: "unavailable" } });
    expect((await fetch(`${url}/healthz`, { headers })).status).toBe(200);
    isThere = true;
    expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(200);
    await app.close();
  });

  it("stops where the rest of the program could not be loaded", async () => {
    const app = new HttpServer(service.services, () => Promise.reject(new Error("no such file")));
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    const refused = fetch(`${url}/v1/models`, { headers: { connection: "close" } });
    expect((await refused).status).toBe(503);
    await expect(app.close()).resolves.toBeUndefined();
  });

  it("says why it can't listen", async () => {
    const { port } = new URL(service.url);
    const app = new HttpServer(service.services);
    await expect(app.listen({ port: Number(port), host: "127.0.0.1" })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
