import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import {
  connectWallet,
  linkWallet,
  sendTokens,
  useInjectedWallets,
  WalletDeclined,
} from "../../api/injected-wallets.ts";
import { usePermission } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { WalletIcon } from "../../shared/wallet-icon.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Form, TextField } from "../../ui/form.tsx";
import { formatMoney } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { tokenQuery, walletsQuery } from "./token-queries.ts";
import { creditsOf, parseTokens, shorten } from "./token-units.ts";

const TEXTS = texts.billing.tokenPayment;

type Token = AnswerOf<"GET /v1/billing/token">;

/** Pays by token: by a wallet of this browser, or from a linked wallet elsewhere. */
export function TokenPayment() {
  const { data, error, refetch } = useQuery(tokenQuery);
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={refetch} />;
  if (data === undefined) return <SkeletonRows rows={3} label={TEXTS.theTokenIsLoading} />;
  return (
    <div className="grid gap-5">
      <PaymentForm token={data} />
      <details className="text-sm">
        <summary className="cursor-pointer text-muted">{TEXTS.payFromAWallet}</summary>
        <div className="mt-2 grid gap-2">
          <p className="text-muted">{TEXTS.sendFromALinked(data.symbol)}</p>
          <KeyValue
            items={[
              { label: TEXTS.treasury, value: <Address text={data.treasury} /> },
              { label: TEXTS.token, value: <Address text={data.contract} /> },
              { label: TEXTS.chain, value: data.chain_id },
              {
                label: TEXTS.depositContract,
                value: data.deposit_contract === null ? undefined : <Address text={data.deposit_contract} />,
              },
              {
                label: TEXTS.yourReference,
                value: data.deposit_contract === null ? undefined : <Address text={data.reference} />,
              },
            ]}
          />
        </div>
      </details>
    </div>
  );
}

function Address({ text }: { readonly text: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="font-mono text-xs wrap-anywhere">{text}</code>
      <CopyButton iconOnly text={text} label={TEXTS.copy(shorten(text))} />
    </span>
  );
}

function PaymentForm({ token }: { readonly token: Token }) {
  const queries = useQueryClient();
  const wallets = useInjectedWallets();
  const { data: linked } = useQuery(walletsQuery);
  const mayPay = usePermission("billing.change");
  const form = useApiForm({
    // The wallet is that of the button that was pressed; Enter takes the first.
    values: { amount: "", wallet: "" },
    send: async ({ amount, wallet }) => {
      const units = parseTokens(amount, token.decimals);
      const chosen = wallets.find(({ id }) => id === wallet) ?? wallets[0];
      if (units === undefined || chosen === undefined) return undefined;
      const from = await connectWallet(chosen);
      // So that the payment is known as this account's.
      if (linked?.data.some(({ address }) => address === from) !== true) {
        await linkWallet(chosen, from, { name: chosen.name, logIn: false });
        await queries.invalidateQueries({ queryKey: walletsQuery.queryKey });
      }
      const { contract, treasury: to, chain_id: chainId } = token;
      return sendTokens(chosen, { from, contract, to, units, chainId });
    },
    onSent: async () => {
      form.reset();
      await queries.invalidateQueries({ queryKey: ["billing", "token-deposits"] });
    },
    isSilent: (error) => error instanceof WalletDeclined,
  });
  const { rate } = token;
  const units = parseTokens(form.watch("amount"), token.decimals);
  return (
    <Form form={form}>
      <TextField
        form={form}
        name="amount"
        label={TEXTS.amount}
        check={(amount) =>
          parseTokens(amount, token.decimals) === undefined
            ? TEXTS.thisMustBeAn(token.symbol, token.decimals)
            : undefined
        }
        hint={
          rate === null
            ? TEXTS.thereIsNoFresh
            : units === undefined
              ? TEXTS.is(
                  token.symbol,
                  formatMoney(creditsOf(10n ** BigInt(token.decimals), token.decimals, rate.credits_per_token)),
                )
              : (rate.source === "fixed" ? TEXTS.youGet : TEXTS.youGetNow)(
                  formatMoney(creditsOf(units, token.decimals, rate.credits_per_token)),
                )
        }
        inputMode="decimal"
        autoComplete="off"
        disabled={!mayPay}
        suffix={token.symbol}
        inputClassName="pr-18"
      />
      <p className="text-sm text-muted">
        {token.confirmations === null ? TEXTS.itCountsWhenThe : TEXTS.itCountsAfterBlocks(token.confirmations)}
      </p>
      {wallets.length === 0 ? (
        <p className="text-sm text-muted">{TEXTS.thisBrowserHasNo}</p>
      ) : (
        <div className="flex flex-wrap gap-2">
          {wallets.map((each, index) => (
            <Button
              key={each.id}
              type="submit"
              variant={index === 0 ? "primary" : "secondary"}
              icon={<WalletIcon wallet={each} />}
              loading={form.isSending && form.getValues("wallet") === each.id}
              disabled={!mayPay || form.isSending}
              onClick={() => form.setValue("wallet", each.id)}
            >
              {TEXTS.payWith(each.name)}
            </Button>
          ))}
        </div>
      )}
      <div role="status" className="grid">
        {form.answer !== undefined && !form.isDirty && (
          <Banner tone="positive" title={TEXTS.sent}>
            {TEXTS.transactionIsOnIts(shorten(form.answer))}
          </Banner>
        )}
        {form.error instanceof WalletDeclined && <Banner tone="info">{form.error.message}</Banner>}
      </div>
    </Form>
  );
}
