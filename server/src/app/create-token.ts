import { Fault } from "@trunkline/core/fault.ts";
import { Wallets } from "../identity/people/wallets.ts";
import { createRpcNode } from "../payments/token/json-rpc.ts";
import { TokenChain } from "../payments/token/token-chain.ts";
import { TokenPayouts } from "../payments/token/token-payouts.ts";
import { TokenWatcher } from "../payments/token/token-watcher.ts";
import { TransactionSender } from "../payments/token/transaction-sender.ts";
import { PostgresOneTimeTokens } from "../store/identity/sessions.ts";
import { PostgresWallets } from "../store/identity/wallets.ts";
import { PostgresTokenDeposits } from "../store/payments/token-deposits.ts";
import { PostgresTokenPayouts } from "../store/payments/token-payouts.ts";
import { checkChain } from "./check-chain.ts";
import type { BaseServices, NotifyServices, TokenServices } from "./services.ts";

/** How often approved payouts are sent and those on their way are looked at. */
const PAYOUT_MS = 10_000;

/** Creates payments by token; nothing where the operator accepts none. Throws StartupError where the settings don't fit the chain. */
export async function createToken(
  { config, database, instance, dialer, clock, warnThrottled }: BaseServices,
  { alertMonitor }: Pick<NotifyServices, "alertMonitor">,
) {
  const settings = config.token;
  if (settings === undefined) return { services: undefined, start: () => undefined, stop: async () => undefined };
  const calls = new AbortController();
  const nodes = settings.rpcUrls.map((url) => createRpcNode(dialer, url, calls.signal));
  const chain = new TokenChain(settings, nodes);
  const onError = (error: unknown) => warnThrottled(error, "The token's chain could not be read.");
  await checkChain(() => chain.facts(), onError);
  const deposits = new PostgresTokenDeposits(database, instance.id, settings);
  const onCredit = (accountId: string) => alertMonitor.onBalanceChange(accountId);
  const { treasury, startBlock } = settings;
  const watcher = new TokenWatcher({ chain, store: deposits, treasury, startBlock, onCredit, onError });
  const wallets = new Wallets({
    store: new PostgresWallets(database),
    tokens: new PostgresOneTimeTokens(database),
    clock,
    chainId: settings.chainId,
    acceptsSignature: (address, digest, signature) =>
      chain.acceptsSignature(address, digest, signature).catch((error: unknown) => {
        const words =
          "This signature is not of the wallet's own key, and the chain can't be asked at the moment. Try again shortly.";
        throw new Fault("unavailable", words, { retryAfterSeconds: 5 }, { cause: error });
      }),
  });
  const [node] = nodes;
  const { tokenKey } = config.payouts;
  const payouts =
    tokenKey === undefined || node === undefined
      ? undefined
      : new TokenPayouts({
          token: settings.contract,
          chain,
          sender: new TransactionSender(settings.chainId, tokenKey, node),
          store: new PostgresTokenPayouts(database, settings.chainId),
          onError: (error) => warnThrottled(error, "A payout could not be sent."),
        });
  const services: TokenServices = { settings, chain, deposits, watcher, wallets, payouts, onCredit };
  let payoutTimer: NodeJS.Timeout | undefined;
  return {
    services,
    start: () => {
      watcher.start();
      if (payouts !== undefined) payoutTimer = setInterval(() => void payouts.run().catch(onError), PAYOUT_MS).unref();
    },
    async stop() {
      clearInterval(payoutTimer);
      calls.abort();
      await watcher.stop();
    },
  };
}
