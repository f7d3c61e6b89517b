import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
  USAGE,
} from "@trunkline/testing/scripted-provider.ts";
import { tallyOf } from "@trunkline/testing/tally-of.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { evidencePredictor } from "../support/evidence-predictor.ts";
import { type StartedService, startService, startSibling } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let customer: Customer;

/** The service predicts by outcomes alone, whatever else its predictor knows. */
function taught(started: StartedService): StartedService {
  Object.assign(started.services.routing, { predictor: evidencePredictor(started.services.routing) });
  return started;
}

beforeAll(async () => {
  service = taught(await startService());
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
  provider.script = answerPlainly;
  customer = await openCustomer(service, 10);
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

let asked = 0;
const ask = async (more: Record<string, unknown> = {}, { key } = customer) => {
  const body = { task: "chat", input: `Question ${++asked}`, route: "quality", ...more };
  const answer = await service.call("POST", "/v1/ai/request", body, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.headers.get("x-request-id") ?? "";
};
const rate = (id: string, score: number, { key } = customer, at = service) =>
  at.call("POST", `/v1/requests/${id}/feedback`, { score }, { key });
/** What is predicted of both models, and who would be asked first. */
const preview = async ({ key } = customer, task = "chat", at = service) => {
  const body = { task, input: "Who would it be?", route: "quality" };
  const { json } = await at.call("POST", "/v1/routing/preview", body, { key });
  const candidates: { model: string; predicted_quality: number }[] = json.candidates;
  const qualityOf = (model: string) => candidates.find((one) => one.model === model)?.predicted_quality ?? Number.NaN;
  return { first: candidates[0]?.model, one: qualityOf("operator/one"), two: qualityOf("operator/two") };
};
/** What the account's own outcomes say: what all say together changes with every test here. */
const own = ({ services } = service, model = "operator/one") => ({
  ...tallyOf(services.routing.evidence, customer.id, model, "chat").own,
});
/** Gives bad feedback on the answers of one model, this number of times. */
const complain = async (times: number, score = -1, of = customer, model = "operator/one") => {
  for (let time = 0; time < times; time++) await rate(await ask({ model }, of), score, of);
};

describe("feedback", () => {
  it("makes the account prefer the other model, in this domain alone", async () => {
    const before = await preview();
    expect(before.one).toBe(before.two);
    await complain(3);
    const after = await preview();
    expect(after.first).toBe("operator/two");
    expect(after.one).toBeLessThan(before.one - 0.2);
    expect(after.two).toBe(before.two);
    const elsewhere = await preview(customer, "code");
    expect(elsewhere.one).toBe(elsewhere.two);
    const chosen = await service.call("GET", `/v1/requests/${await ask()}`, undefined, { key: customer.key });
    expect(chosen.json.model).toBe("operator/two");
    const blamed = chosen.json.routing.candidates.find((one: { model: string }) => one.model === "operator/one");
    expect(blamed.predicted_quality).toBeLessThan(blamed.unlearnt_quality);
  });

  it("of one account moves others only slightly, however often it is given", async () => {
    const [attacker, other] = [await openCustomer(service, 10), await openCustomer(service, 10)];
    const before = await preview(other, "analysis");
    const ids = await Promise.all(
      Array.from({ length: 30 }, () => ask({ task: "analysis", model: "operator/one" }, attacker)),
    );
    for (const id of ids) await rate(id, -1, attacker);
    await service.services.routing.outcomeSync.flush();
    const own = await preview(attacker, "analysis");
    const others = await preview(other, "analysis");
    expect(own.one).toBeLessThan(before.one - 0.5);
    expect(others.one).toBeLessThan(before.one);
    expect(others.one).toBeGreaterThan(before.one - 0.1);
  });

  it("on one's own model moves no other account", async () => {
    const bystander = await openCustomer(service, 10);
    const before = await preview(bystander, "summarization");
    for (let time = 0; time < 5; time++) {
      const answer = await service.call("POST", "/v1/ai/request", {
        task: "summarization",
        input: `By the operator ${time}`,
        model: "operator/one",
      });
      const id = answer.headers.get("x-request-id");
      const given = await service.call("POST", `/v1/requests/${id}/feedback`, { score: 1 });
      expect(given.status, given.text).toBe(200);
    }
    await service.services.routing.outcomeSync.flush();
    expect(await preview(bystander, "summarization")).toEqual(before);
  });

  it("that is replaced is undone", async () => {
    const id = await ask({ model: "operator/one" });
    await rate(id, -1);
    const blamed = own();
    expect(blamed.weight).toBe(3);
    await rate(id, 1);
    expect(own().weight).toBe(3);
    expect(own().surplus).toBeCloseTo(blamed.surplus + 3, 9);
    await service.services.routing.outcomeSync.flush();
    await rate(id, -1);
    expect(own()).toMatchObject({ weight: 3, surplus: expect.closeTo(blamed.surplus, 9) });
  });

  it("is known to other instances soon, and after a restart", async () => {
    const sibling = taught(await startSibling(service));
    try {
      expect(own(sibling).weight).toBe(0);
      await complain(3);
      const { weight, surplus } = own(service);
      const learnt = { weight: expect.closeTo(weight, 6), surplus: expect.closeTo(surplus, 6) };
      await expect.poll(() => own(sibling)).toMatchObject(learnt);
      expect((await preview(customer, "chat", sibling)).first).toBe("operator/two");
      const later = taught(await startSibling(service));
      expect(own(later)).toMatchObject(learnt);
      await later.stop();
    } finally {
      await sibling.stop();
    }
  });
});

describe("an answer that shows its own quality", () => {
  it("lowers a model that breaks the form that was asked for", async () => {
    provider.script = (response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ output: "Sure! Here it is.", usage: USAGE }));
    };
    const form = { type: "json_object" };
    const chat = {
      model: "operator/one",
      messages: [{ role: "user", content: "As JSON." }],
      response_format: form,
    };
    const answer = await service.call("POST", "/openai/v1/chat/completions", chat, { key: customer.key });
    expect(answer.status, answer.text).toBe(200);
    await expect.poll(() => own()).toMatchObject({ weight: 1, surplus: expect.closeTo(-0.8, 1) });
    const { json } = await outcomes();
    expect(json.data).toMatchObject([{ source: "check", outcome: 0, weight: 1, model: "operator/one" }]);
  });

  it("blames an answer that is asked for again, and none where it is asked for under an idempotency key", async () => {
    const same = { input: "The very same question.", model: "operator/one" };
    const keyed = { ...same, input: "Under a key." };
    for (const key of ["first", "second"]) {
      const headers = { "idempotency-key": `${customer.id} ${key}` };
      await service.call("POST", "/v1/generate", keyed, { key: customer.key, headers });
    }
    await ask(same);
    expect(own().weight).toBe(0);
    await ask(same);
    await expect.poll(() => own().surplus).toBeLessThan(-0.2);
    const { json } = await outcomes();
    expect(json.data).toMatchObject([{ source: "regeneration", outcome: 0.25 }]);
  });
});

const outcomes = async () => {
  await service.services.routing.outcomeSync.flush();
  return service.call("GET", "/v1/routing/outcomes", undefined, { key: customer.key });
};

describe("learning", () => {
  const freeze = (learning: string) => service.call("PUT", "/v1/routing/learning", { learning }, { key: customer.key });

  it("that the account froze changes nothing, and what is said is kept all the same", async () => {
    expect((await freeze("frozen")).json).toEqual({ learning: "frozen", service: "on" });
    const id = await ask({ model: "operator/one" });
    expect((await rate(id, -1)).status).toBe(200);
    expect(own().weight).toBe(0);
    const record = await service.call("GET", `/v1/requests/${id}`, undefined, { key: customer.key });
    expect(record.json.feedback).toMatchObject({ score: -1 });
    expect((await outcomes()).json.data).toEqual([]);
    expect((await freeze("on")).json).toEqual({ learning: "on", service: "on" });
    await rate(id, -1);
    expect(own().weight).toBe(3);
  });

  it("that the operator froze is frozen for all", async () => {
    const set = (routing_learning: string) => service.call("PATCH", "/v1/admin/settings", { routing_learning });
    expect((await set("frozen")).json).toMatchObject({ routing_learning: "frozen" });
    try {
      const read = await service.call("GET", "/v1/routing/learning", undefined, { key: customer.key });
      expect(read.json).toEqual({ learning: "on", service: "frozen" });
      await complain(2);
      expect(own().weight).toBe(0);
    } finally {
      await set("on");
    }
    await complain(1);
    expect(own().weight).toBe(3);
  });
});
