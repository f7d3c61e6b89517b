import { createRpcNode } from "../payments/token/json-rpc.ts";
import { X402Chain } from "../payments/x402/x402-chain.ts";
import { X402Payments } from "../payments/x402/x402-payments.ts";
import { PostgresX402Payments } from "../store/payments/x402-payments.ts";
import type { BaseServices, LedgerServices } from "./services.ts";

/** How often payments that are not settled yet are looked at. */
const SETTLE_MS = 5_000;

/** Creates payments for single requests; nothing where the operator takes none. */
export function createX402(
  { config, database, instance, dialer, clock, warnThrottled }: BaseServices,
  { funds }: Pick<LedgerServices, "funds">,
) {
  const settings = config.x402;
  if (settings === undefined) return { services: undefined, start: () => undefined, stop: async () => undefined };
  const calls = new AbortController();
  const onError = (error: unknown) => warnThrottled(error, "A payment by x402 could not be settled.");
  const settle = () => void services.settle().catch(onError);
  const services = new X402Payments({
    settings,
    chain: new X402Chain(settings, createRpcNode(dialer, settings.rpcUrl, calls.signal)),
    store: new PostgresX402Payments(database, instance.id),
    clock,
    accountRequestsPerMinute: config.limits.accountRequestsPerMinute,
    returnLeases: (id) => funds.onRecall({ kind: "balance", id, hasPriority: true }),
    onError,
  });
  let timer: NodeJS.Timeout | undefined;
  return {
    services,
    start: () => {
      // What an instance that died has left is settled at once.
      settle();
      timer = setInterval(settle, SETTLE_MS).unref();
    },
    stop: async () => {
      clearInterval(timer);
      calls.abort();
    },
  };
}
