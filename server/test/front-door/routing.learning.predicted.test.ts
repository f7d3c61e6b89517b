import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

const SUMS = [
  "Solve for x: 3x^2 - 12x + 9 = 0. Show every step of the algebra.",
  "What is the sum of the first 50 positive odd integers? Prove the formula by induction.",
  "A triangle has sides 5, 12 and 13. Compute its area and the radius of its incircle.",
  "Find the derivative of f(x) = x^3 ln(x) and evaluate it at x = 2.",
];
const ANOTHER_SUM = "Solve the equation 2x^2 + 5x - 3 = 0 and show every step of the algebra.";
const PATIENT =
  "A patient comes with chest pain and shortness of breath. Which diagnosis is most likely, and which drug treats it?";

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const name of ["one", "two"]) {
    const body = registrationOf(provider, name, {
      capabilities: [],
      performance: { accuracy_score: 0.8, avg_latency_ms: 100 },
    });
    const made = await service.call("POST", "/v1/provider/models", body);
    expect(made.status, made.text).toBe(201);
  }
});

beforeEach(async () => {
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const complainOf = async (model: string, inputs: readonly string[], score = -1) => {
  const { key } = customer;
  for (const input of inputs) {
    const asked = { task: "chat", input, model, route: "quality" };
    const answer = await service.call("POST", "/v1/ai/request", asked, { key });
    expect(answer.status, answer.text).toBe(200);
    const id = answer.headers.get("x-request-id");
    const given = await service.call("POST", `/v1/requests/${id}/feedback`, { score }, { key });
    expect(given.status, given.text).toBe(200);
  }
};
/** Who would be asked first, and by how much the first model is thought worse than the second. */
const preview = async (input: string, { key } = customer, at = service) => {
  const body = { task: "chat", input, route: "quality" };
  const { json } = await at.call("POST", "/v1/routing/preview", body, { key });
  const candidates: { model: string; predicted_quality: number }[] = json.candidates;
  const qualityOf = (model: string) => candidates.find((one) => one.model === model)?.predicted_quality ?? Number.NaN;
  return { first: candidates[0]?.model, gap: qualityOf("operator/two") - qualityOf("operator/one") };
};

describe("bad feedback on one of two equal models", () => {
  it("makes the other one the first for requests of that family, and hardly matters for others", async () => {
    expect((await preview(ANOTHER_SUM)).gap).toBe(0);
    await complainOf("operator/one", SUMS);
    const sums = await preview(ANOTHER_SUM);
    expect(sums.first).toBe("operator/two");
    expect(sums.gap).toBeGreaterThan(0.15);
    const elsewhere = await preview(PATIENT);
    expect(Math.abs(elsewhere.gap)).toBeLessThan(sums.gap / 10);
  });

  it("moves another account only slightly, though it is given forty times", async () => {
    const other = await openCustomer(service, 10);
    await complainOf("operator/one", Array.from({ length: 10 }, () => SUMS).flat());
    await service.services.routing.outcomeSync.flush();
    const [own, others] = [await preview(ANOTHER_SUM), await preview(ANOTHER_SUM, other)];
    expect(own.gap).toBeGreaterThan(0.2);
    expect(others.gap).toBeLessThan(own.gap / 3);
  });

  it("is still known after a restart", async () => {
    await complainOf("operator/one", SUMS);
    await service.services.routing.outcomeSync.flush();
    const before = await preview(ANOTHER_SUM);
    const later = await startSibling(service);
    try {
      expect(await preview(ANOTHER_SUM, customer, later)).toEqual(before);
    } finally {
      await later.stop();
    }
  });
});
