import { createRpcNode } from "../payments/token/json-rpc.ts";
import { checkX402Settings } from "../payments/x402/check-x402-settings.ts";
import { X402Chain } from "../payments/x402/x402-chain.ts";
import { X402Payments } from "../payments/x402/x402-payments.ts";
import { PostgresX402Payments } from "../store/payments/x402-payments.ts";
import { checkChain } from "./check-chain.ts";
import type { BaseServices, LedgerServices } from "./services.ts";

/** How often payments that are not settled yet are looked at. */
const SETTLE_MS = 5_000;

/** Creates payments for single requests; nothing where the operator takes none. Throws StartupError where the settings don't fit the chain. */
export async function createX402(
  { config, database, instance, dialer, clock, warnThrottled }: BaseServices,
  { funds }: Pick<LedgerServices, "funds">,
) {
  const settings = config.x402;
  if (settings === undefined) return { services: undefined, start: () => undefined, stop: async () => undefined };
  const calls = new AbortController();
  const onError = (error: unknown) => warnThrottled(error, "A payment by x402 could not be settled.");
  const node = createRpcNode(dialer, settings.rpcUrl, calls.signal);
  await checkChain(
    () => checkX402Settings(settings, node),
    (error) => warnThrottled(error, "The chain of payments by x402 could not be read."),
  );
  const settle = () => void services.settle().catch(onError);
  const services = new X402Payments({
    settings,
    chain: new X402Chain(settings, node),
    store: new PostgresX402Payments(database, instance.id),
    clock,
    limits: config.limits,
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
