import {
  registrationOf,
  type Script,
  type ScriptedProvider,
  startProvider,
  USAGE,
} from "@trunkline/testing/scripted-provider.ts";
import { expect } from "vitest";
import { openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { balanceOf, type Customer, openCustomer } from "./customer.ts";
import { type Answer, type StartedService, startService } from "./started-service.ts";

/** What ten tokens in and twenty out cost. */
export const CHEAP = 0.000_05;
export const DEAR = 0.000_5;
export const BOTH = 0.000_55;

export const CITY = {
  type: "object",
  required: ["city"],
  properties: { city: { type: "string", pattern: "^[A-Z]" } },
};
export const QUESTION = {
  input: "What is the capital of France?",
  route: "cascade",
  parameters: { max_tokens: 100 },
};

/** A service with a cheap model that answers in words, and a dear, better one that answers in JSON. */
export class CascadeTrial {
  readonly service: StartedService;
  readonly cheap: ScriptedProvider;
  readonly dear: ScriptedProvider;
  customer: Customer;

  private constructor(service: StartedService, cheap: ScriptedProvider, dear: ScriptedProvider, customer: Customer) {
    this.service = service;
    this.cheap = cheap;
    this.dear = dear;
    this.customer = customer;
  }

  static async start(): Promise<CascadeTrial> {
    const service = await startService();
    const [cheap, dear] = [await startProvider(), await startProvider()];
    const models = [
      { provider: cheap, name: "cheap", factor: 1, accuracy_score: 0.4 },
      { provider: dear, name: "dear", factor: 10, accuracy_score: 0.9 },
    ];
    for (const { provider, name, factor, accuracy_score } of models) {
      const registration = registrationOf(provider, name, {
        streaming: true,
        performance: { accuracy_score },
        pricing: { input_per_1k_tokens: 0.001 * factor, output_per_1k_tokens: 0.002 * factor },
      });
      const { status, text } = await service.call("POST", "/v1/provider/models", registration);
      expect(status, text).toBe(201);
    }
    return new CascadeTrial(service, cheap, dear, await openCustomer(service, 1));
  }

  /** Resets the scripts and the recorded calls, and opens a new customer with one credit. */
  async begin(): Promise<void> {
    this.cheap.script = says("It is Paris.");
    this.dear.script = says('{"city":"Paris"}');
    this.cheap.calls.length = 0;
    this.dear.calls.length = 0;
    this.customer = await openCustomer(this.service, 1);
  }

  ask(more: Record<string, unknown>, path = "/v1/generate", headers: Record<string, string> = {}) {
    return this.post(path, { ...QUESTION, ...more }, headers);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.service.call("POST", path, body, { key: this.customer.key, headers });
  }

  async recordOf(answer: Answer) {
    const id = answer.headers.get("x-request-id");
    return (await this.service.call("GET", `/v1/requests/${id}`, undefined, { key: this.customer.key })).json;
  }

  async spent(): Promise<number> {
    return Math.round((1 - (await balanceOf(this.service, this.customer.key)).balance) * 1e9) / 1e9;
  }

  /** Stops it, after an audit of the ledger. */
  async stop(): Promise<void> {
    const database = openDatabase(this.service.address, () => undefined, { connections: 1 });
    const { findings } = await auditLedger(database);
    await database.close();
    expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
    await this.service.stop();
    await this.cheap.stop();
    await this.dear.stop();
  }
}

/** An answer in our own form, whole or as it comes. */
export function says(output: string): Script {
  return (response, call) => {
    if (call.body.stream !== true) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ output, usage: USAGE, latency_ms: 5 }));
      return;
    }
    response.setHeader("content-type", "application/x-ndjson");
    for (const delta of output.match(/.{1,4}/gs) ?? []) response.write(`${JSON.stringify({ delta })}\n`);
    response.end(`${JSON.stringify({ done: true, usage: USAGE })}\n`);
  };
}
