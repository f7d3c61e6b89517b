import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import {
  connectWallet,
  type InjectedWallet,
  linkWallet,
  sendTokens,
  useInjectedWallets,
  WalletDeclined,
} from "../../api/injected-wallets.ts";
import { usePermission } from "../../api/session.ts";
import { WalletIcon } from "../../shared/wallet-icon.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
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
  const [text, setText] = useState("");
  const [isChecked, setIsChecked] = useState(false);
  const units = parseTokens(text, token.decimals);
  const pay = useMutation({
    mutationFn: async ({ wallet, amount }: { wallet: InjectedWallet; amount: bigint }) => {
      const from = await connectWallet(wallet);
      // So that the payment is known as this account's.
      if (linked?.data.some(({ address }) => address === from) !== true) {
        await linkWallet(wallet, from, { name: wallet.name, logIn: false });
        await queries.invalidateQueries({ queryKey: walletsQuery.queryKey });
      }
      const { contract, treasury: to, chain_id: chainId } = token;
      return sendTokens(wallet, { from, contract, to, units: amount, chainId });
    },
    onSuccess: async () => {
      setText("");
      setIsChecked(false);
      await queries.invalidateQueries({ queryKey: ["billing", "token-deposits"] });
    },
  });

  function send(event: FormEvent, wallet: InjectedWallet | undefined) {
    event.preventDefault();
    setIsChecked(true);
    if (units !== undefined && wallet !== undefined) pay.mutate({ wallet, amount: units });
  }

  const { rate } = token;
  const isWrong = text.trim() === "" ? isChecked : units === undefined;
  return (
    <form className="grid gap-4" noValidate onSubmit={(event) => send(event, wallets[0])}>
      <Field
        label={TEXTS.amount}
        error={isWrong ? TEXTS.thisMustBeAn(token.symbol, token.decimals) : undefined}
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
      >
        <Input
          inputMode="decimal"
          autoComplete="off"
          value={text}
          disabled={!mayPay}
          suffix={token.symbol}
          className="pr-18"
          onChange={(event) => {
            setText(event.target.value);
            setIsChecked(false);
            if (!pay.isIdle && !pay.isPending) pay.reset();
          }}
        />
      </Field>
      <p className="text-sm text-muted">
        {token.confirmations === null ? TEXTS.itCountsWhenThe : TEXTS.itCountsAfterBlocks(token.confirmations)}
      </p>
      {wallets.length === 0 ? (
        <p className="text-sm text-muted">{TEXTS.thisBrowserHasNo}</p>
      ) : (
        <div className="flex flex-wrap gap-2">
          {wallets.map((wallet, index) => (
            <Button
              key={wallet.id}
              type={index === 0 ? "submit" : "button"}
              variant={index === 0 ? "primary" : "secondary"}
              icon={<WalletIcon wallet={wallet} />}
              loading={pay.isPending && pay.variables.wallet.id === wallet.id}
              disabled={!mayPay || pay.isPending}
              {...(index === 0 ? {} : { onClick: (event: FormEvent) => send(event, wallet) })}
            >
              {TEXTS.payWith(wallet.name)}
            </Button>
          ))}
        </div>
      )}
      <div role="status" className="grid">
        {pay.isSuccess && (
          <Banner tone="positive" title={TEXTS.sent}>
            {TEXTS.transactionIsOnIts(shorten(pay.data))}
          </Banner>
        )}
        {pay.isError && (
          <Banner tone={pay.error instanceof WalletDeclined ? "info" : "danger"}>{pay.error.message}</Banner>
        )}
      </div>
    </form>
  );
}
