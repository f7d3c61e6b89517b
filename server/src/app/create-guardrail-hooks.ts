import { checkEndpoint } from "@trunkline/providers/dialer/address-guard.ts";
import { GuardrailHooks } from "../guardrails/guardrail-hooks.ts";
import { PostgresGuardrailHooks } from "../store/guardrail-hooks.ts";
import type { Metrics } from "./metrics.ts";
import type { BaseServices } from "./services.ts";

/** Creates the guardrail hooks of accounts. */
export function createGuardrailHooks(base: BaseServices, metrics: Metrics): GuardrailHooks {
  const { database, sealer, dialer, clock, warnThrottled } = base;
  const guardrailHooks = new GuardrailHooks({
    store: new PostgresGuardrailHooks(database, sealer),
    dialer,
    clock,
    checkEndpoint,
    warn: (words) => warnThrottled(undefined, words),
  });
  metrics.addCounterBy(
    "trunkline_guardrail_hook_calls_total",
    "Calls of accounts' guardrail hooks by what came of them: allow, refuse, redact or failed.",
    "outcome",
    () => guardrailHooks.counts(),
  );
  return guardrailHooks;
}
