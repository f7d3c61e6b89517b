import { registrationOf, type ScriptedProvider, startProvider, USAGE } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../../test/support/customer.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../../test/support/started-service.ts";
import { HttpServer } from "../http/server/http-server.ts";
import type { CrashPoint } from "./config/crash-plan.ts";
import { withCrashPoints } from "./crash-points.ts";
import type { Services } from "./services.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.stop());

/** The state at the crash. */
interface CrashState {
  readonly point: CrashPoint;
  readonly requestIds: readonly string[];
  readonly held: bigint;
  readonly calls: number;
}

/** One request over HTTP to the services. */
async function ask(services: Services, path: string) {
  const app = new HttpServer(services);
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ task: "chat", input: "Hello", model: "plain" }),
  });
  const answer = { statusCode: response.status, body: await response.text() };
  app.server.closeAllConnections();
  await app.close();
  return answer;
}

/** Sends one request to services that crash at a point. The crash is a throw here, so that the test can look at the state. */
async function crashAt(point: CrashPoint, path: string) {
  const { services } = service;
  const operator = await services.identity.accounts.findOperator();
  const crashes: CrashState[] = [];
  const crashing = withCrashPoints(services, { seed: "7", quietMs: 0, rates: { [point]: 1 } }, (where, requestIds) => {
    const held = services.ledger.funds.heldOf(operator?.id ?? "");
    crashes.push({ point: where, requestIds, held, calls: provider.calls.length });
    throw new Error("Crashed.");
  });
  const answer = await ask(crashing, path);
  const [crash] = crashes;
  if (crash === undefined) throw new Error(`It did not crash: ${answer.body}`);
  expect(crash.point).toBe(point);
  return { ...crash, answer };
}

describe("services with crash points", () => {
  beforeEach(async () => {
    service = await startService();
    provider.calls.length = 0;
    provider.script = (response, call) => {
      const text = ["One ", "two ", "three ", "four ", "five ", "six ", "seven."];
      if (call.body.stream !== true) {
        response.end(JSON.stringify({ output: text.join(""), usage: USAGE }));
        return;
      }
      for (const delta of text) response.write(`${JSON.stringify({ delta })}\n`);
      response.end(`${JSON.stringify({ done: true, usage: USAGE })}\n`);
    };
    await service.call(
      "POST",
      "/v1/provider/models",
      registrationOf(provider, "plain", { streaming: true, max_output_tokens: 100 }),
    );
    return () => service.stop();
  });

  const recorded = async () => (await service.call("GET", "/v1/requests")).json.data as { cost: number }[];

  it("crash with money held, before any provider is called", async () => {
    const { held, calls } = await crashAt("after-hold", "/v1/ai/request");
    expect(held).toBeGreaterThan(0n);
    expect(calls).toBe(0);
  });

  it("crash before the provider call connects", async () => {
    const { held, calls, requestIds } = await crashAt("before-connect", "/v1/ai/request");
    expect(held).toBeGreaterThan(0n);
    expect(calls).toBe(0);
    expect(requestIds).toHaveLength(1);
  });

  it("crash in the middle of a stream, after its first pieces were sent", async () => {
    const { calls, answer } = await crashAt("mid-stream", "/v1/stream");
    expect(calls).toBe(1);
    expect(answer.body).toMatch(/^\{"delta":"One /);
    expect(answer.body).not.toContain("seven");
  });

  it("crash after the provider has ended, before anything is written", async () => {
    const { calls, held, answer } = await crashAt("provider-ended", "/v1/ai/request");
    expect(calls).toBe(1);
    expect(held).toBeGreaterThan(0n);
    expect(answer.statusCode).toBe(500);
  });

  it("crash while the settlement's statement runs, which the server may still commit", async () => {
    const { calls, requestIds, answer } = await crashAt("inside-transaction", "/v1/ai/request");
    expect(calls).toBe(1);
    expect(requestIds).toHaveLength(1);
    expect(answer.statusCode).toBe(500);
    await expect.poll(recorded).toEqual([expect.objectContaining({ cost: 0.00005, id: requestIds[0] })]);
  });

  it("crash after the charge is committed, before the answer is sent", async () => {
    const { requestIds, answer } = await crashAt("after-commit", "/v1/ai/request");
    expect(answer.statusCode).toBe(500);
    expect(await recorded()).toEqual([expect.objectContaining({ cost: 0.00005, id: requestIds[0] })]);
    expect((await balanceOf(service)).balance).toBe(999.99995);
  });

  it("do not crash without a rate", async () => {
    const services = withCrashPoints(service.services, { seed: "7", quietMs: 0, rates: {} }, () => {
      throw new Error("Crashed.");
    });
    const answer = await ask(services, "/v1/ai/request");
    expect(JSON.parse(answer.body)).toMatchObject({ cost: 0.00005 });
    expect(await balanceOf(service)).toMatchObject({ balance: 999.99995, held: 0 });
  });
});
