import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BOTH, CascadeTrial, CHEAP, CITY, DEAR, says } from "../support/cascade-trial.ts";
import { balanceOf, openCustomer } from "../support/customer.ts";

/** The worst case of the dear one at a hundred tokens out, and a little more for its input; and what the cheap one costs beside it. */
const DEAR_WORST = 0.002_08;
const BOTH_AT_WORST = 0.002_13;

let trial: CascadeTrial;

beforeAll(async () => {
  trial = await CascadeTrial.start();
});
beforeEach(() => trial.begin());
afterAll(() => trial.stop());

describe("a cascade", () => {
  it("stops at the cheapest model whose answer passes", async () => {
    const answer = await trial.ask({ check: { regex: "Paris" } });
    expect(answer.json).toMatchObject({ output: "It is Paris.", model: "operator/cheap" });
    expect(trial.dear.calls).toHaveLength(0);
    expect(await trial.spent()).toBe(CHEAP);
    const record = await trial.recordOf(answer);
    expect(record.legs).toBeUndefined();
    expect(record.routing).toMatchObject({ strategy: "cost-optimized", chosen_by: "request" });
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    ["is not JSON", "It is Paris.", { json_schema: CITY }, "it is not JSON"],
    [
      "does not meet the schema",
      '{"town":"Paris"}',
      { json_schema: CITY },
      'it does not meet the schema: it lacks "city"',
    ],
    [
      "does not match a pattern of the schema",
      '{"city":"paris"}',
      { json_schema: CITY },
      'it does not meet the schema: "/city" does not match its pattern',
    ],
    ["is too short", "Paris", { min_length: 10 }, "it has fewer than 10 characters"],
    ["does not match", "I don't know.", { regex: "Paris|London" }, "it does not match the pattern"],
    ["is blank", " ", { non_empty: true }, "it is empty"],
  ])(
    "goes on to the better model where the answer %s, and each is charged by its own price",
    async (_what, output, check, reason) => {
      trial.cheap.script = says(output);
      const answer = await trial.ask({ check, preferences: { max_cost: BOTH_AT_WORST } });
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json).toMatchObject({ output: '{"city":"Paris"}', model: "operator/dear" });
      expect(answer.headers.get("x-trunkline-cost")).toBe("0.00055");
      expect(await trial.spent()).toBe(BOTH);
      const record = await trial.recordOf(answer);
      expect(record).toMatchObject({
        model: "operator/dear",
        cost: BOTH,
        price_version: "legs",
        input_tokens: 20,
        output_tokens: 40,
        legs: [
          {
            model: "operator/cheap",
            outcome: "failed-check",
            input_tokens: 10,
            output_tokens: 20,
            cost: CHEAP,
          },
          { model: "operator/dear", outcome: "answered", input_tokens: 10, output_tokens: 20, cost: DEAR },
        ],
        attempts: [
          { model: "operator/cheap", outcome: "failed-check", reason, input_tokens: 10, output_tokens: 20 },
          { model: "operator/dear", outcome: "answered", reason: "ok", input_tokens: 10, output_tokens: 20 },
        ],
      });
    },
  );

  it("pays nothing for an answer that is empty, and goes on", async () => {
    trial.cheap.script = says("");
    const answer = await trial.ask({});
    expect(answer.json.model).toBe("operator/dear");
    expect(await trial.spent()).toBe(DEAR);
    expect((await trial.recordOf(answer)).attempts).toMatchObject([
      { outcome: "failed-check", reason: "it is empty", input_tokens: null },
      { outcome: "answered" },
    ]);
  });

  it("says what it cost and why each answer failed where none passes", async () => {
    trial.dear.script = says("I would say Paris.");
    const answer = await trial.ask({ check: { json_schema: CITY } });
    expectRefusal(answer, 422, "check_failed", {
      attempts: [
        { model: "operator/cheap", reason: "it is not JSON", ms: expect.any(Number) },
        { model: "operator/dear", reason: "it is not JSON", ms: expect.any(Number) },
      ],
      cost: BOTH,
    });
    expect(await trial.spent()).toBe(BOTH);
    expect(await trial.recordOf(answer)).toMatchObject({
      status: 422,
      error_type: "check_failed",
      legs: [{ outcome: "failed-check" }, { outcome: "failed-check" }],
    });
  });

  it("begins no step whose worst case is above what the first has left of `max_cost`", async () => {
    const answer = await trial.ask({ check: { json_schema: CITY }, preferences: { max_cost: DEAR_WORST } });
    expectRefusal(answer, 422, "check_failed", {
      attempts: [
        { model: "operator/cheap", reason: "it is not JSON", ms: expect.any(Number) },
        { model: "operator/dear", reason: expect.stringMatching(/max_cost/), ms: 0 },
      ],
      cost: CHEAP,
    });
    expect(trial.dear.calls).toHaveLength(0);
    expect(await trial.spent()).toBe(CHEAP);
    expect(await trial.recordOf(answer)).toMatchObject({
      model: "operator/cheap",
      cost: CHEAP,
      attempts: [{ outcome: "failed-check", input_tokens: 10 }],
    });
  });

  it("begins no step that the balance does not cover beside the first", async () => {
    trial.customer = await openCustomer(trial.service, DEAR_WORST);
    const answer = await trial.ask({ check: { json_schema: CITY } });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.json.error.attempts[1].reason).toMatch(/credits do not cover/);
    expect((await balanceOf(trial.service, trial.customer.key)).held).toBe(0);
  });
});
