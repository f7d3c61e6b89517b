import { registrationOf, type ScriptedProvider, startProvider, USAGE } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../../test/support/customer.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../../test/support/started-service.ts";
import { createHttpServer } from "../http/server/http-server.ts";
import type { CrashPoint } from "./config/crash-plan.ts";
import { withCrashPoints } from "./crash-points.ts";
import type { Services } from "./services.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.stop());

/** What was true at the moment of death. */
interface Death {
  readonly point: CrashPoint;
  readonly requestIds: readonly string[];
  readonly held: bigint;
  readonly calls: number;
}

/** One request over HTTP to the services. */
async function ask(services: Services, path: string) {
  const app = createHttpServer(services);
  const answer = await app.inject({
    method: "POST",
    url: path,
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": "application/json" },
    payload: { task: "chat", input: "Hello", model: "plain" },
  });
  await app.close();
  return answer;
}

/** One request to a service that dies at a place for certain. Dying is a throw here, so that one can look around. */
async function dieAt(point: CrashPoint, path: string) {
  const { services } = service;
  const operator = await services.accounts.findOperator();
  const deaths: Death[] = [];
  const mortal = withCrashPoints(services, { seed: "7", quietMs: 0, rates: { [point]: 1 } }, (where, requestIds) => {
    const held = services.accountFunds.heldOf(operator?.id ?? "");
    deaths.push({ point: where, requestIds, held, calls: provider.calls.length });
    throw new Error("Dead.");
  });
  const answer = await ask(mortal, path);
  const [death] = deaths;
  if (death === undefined) throw new Error(`It did not die: ${answer.body}`);
  expect(death.point).toBe(point);
  return { ...death, answer };
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

  it("dies with money held, before anyone is called", async () => {
    const { held, calls } = await dieAt("after-hold", "/v1/ai/request");
    expect(held).toBeGreaterThan(0n);
    expect(calls).toBe(0);
  });

  it("dies before it connects", async () => {
    const { held, calls, requestIds } = await dieAt("before-connect", "/v1/ai/request");
    expect(held).toBeGreaterThan(0n);
    expect(calls).toBe(0);
    expect(requestIds).toHaveLength(1);
  });

  it("dies in the middle of a stream, of which something was given out by then", async () => {
    const { calls, answer } = await dieAt("mid-stream", "/v1/stream");
    expect(calls).toBe(1);
    expect(answer.body).toMatch(/^\{"delta":"One /);
    expect(answer.body).not.toContain("seven");
  });

  it("dies when the provider has ended and nothing is written yet", async () => {
    const { calls, held, answer } = await dieAt("provider-ended", "/v1/ai/request");
    expect(calls).toBe(1);
    expect(held).toBeGreaterThan(0n);
    expect(answer.statusCode).toBe(500);
  });

  it("dies while the statement's outcome is open: the server may commit it all the same", async () => {
    const { calls, requestIds, answer } = await dieAt("inside-transaction", "/v1/ai/request");
    expect(calls).toBe(1);
    expect(requestIds).toHaveLength(1);
    expect(answer.statusCode).toBe(500);
    await expect.poll(recorded).toEqual([expect.objectContaining({ cost: 0.00005, id: requestIds[0] })]);
  });

  it("dies with the charge committed and the answer not given", async () => {
    const { requestIds, answer } = await dieAt("after-commit", "/v1/ai/request");
    expect(answer.statusCode).toBe(500);
    expect(await recorded()).toEqual([expect.objectContaining({ cost: 0.00005, id: requestIds[0] })]);
    expect((await balanceOf(service)).balance).toBe(999.99995);
  });

  it("lives on where no rate is given", async () => {
    const services = withCrashPoints(service.services, { seed: "7", quietMs: 0, rates: {} }, () => {
      throw new Error("Dead.");
    });
    const answer = await ask(services, "/v1/ai/request");
    expect(answer.json()).toMatchObject({ cost: 0.00005 });
    expect(await balanceOf(service)).toMatchObject({ balance: 999.99995, held: 0 });
  });
});
