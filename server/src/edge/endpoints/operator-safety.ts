import { z } from "zod";
import { SAFETY_PRESETS } from "../../domain/safety-rules.ts";
import type { House } from "../../house.ts";
import { LaidRules } from "../../safety/lay-rules.ts";
import {
  effectiveMarks,
  policyToWire,
  rulesOf,
  rulesToWire,
  serviceSafetyRules,
} from "../../wire/safety-rules.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { withoutPhrases } from "../told-rules.ts";

const safetyShown = serviceSafetyRules.extend({
  preset: z.enum(SAFETY_PRESETS),
  locked: z.boolean(),
  effective: effectiveMarks.describe("What holds for each category, where no account or key says otherwise."),
  source: z.enum(["configuration", "dashboard"]),
});

const readSafety = control({
  method: "GET",
  path: "/v1/admin/safety",
  power: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "The service's safety policy",
  faults: [],
  answer: safetyShown,
  handle: async ({ house }) => safetyToWire(house),
});

const changeSafety = control({
  method: "PUT",
  path: "/v1/admin/safety",
  power: "operator.change",
  deed: { action: "safety.change", details: ({ body }) => withoutPhrases(body) },
  status: 200,
  tag: "Operator",
  summary: "Set the service's safety policy",
  description:
    "Laid over what the configuration file says, and holds on every instance within a second. A preset begins anew; what is not said stays the file's. Accounts and keys lay their own rules over it, unless it is `locked`. `sexual_minors` can't be loosened, and only `pii` and `secret` can be redacted.",
  faults: [],
  body: serviceSafetyRules,
  answer: safetyShown,
  async handle({ house, body }) {
    await house.settings.changeSafety(rulesOf(body));
    return safetyToWire(house);
  },
});

const resetSafety = control({
  method: "DELETE",
  path: "/v1/admin/safety",
  power: "operator.change",
  deed: { action: "safety.reset" },
  status: 200,
  tag: "Operator",
  summary: "Go back to the configuration's safety policy",
  faults: [],
  answer: safetyShown,
  async handle({ house }) {
    await house.settings.forgetSafety();
    return safetyToWire(house);
  },
});

function safetyToWire({ settings: { safety, safetyIsOwn } }: House) {
  const { categories = {}, locked = false, preset = "balanced", ...rules } = rulesToWire(safety);
  return {
    preset,
    categories,
    ...rules,
    locked,
    effective: policyToWire(new LaidRules(safety).policyFor().policy),
    source: safetyIsOwn ? "dashboard" : "configuration",
  };
}

export const operatorSafetyEndpoints: readonly Endpoint[] = [readSafety, changeSafety, resetSafety];
