import { useMutation } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { showPrice } from "./show-price.ts";

const TEXTS = texts.billing.cardForm;

type Method = AnswerOf<"GET /v1/billing/methods">["data"][number];

const SUGGESTED = [10, 25, 50, 100];

/** Buys credits by card, on the page of the card processor. */
export function CardForm({ method }: { readonly method: Method }) {
  const mayBuy = usePermission("billing.change");
  const [smallest, largest] = [method.smallest ?? 0, method.largest ?? Number.POSITIVE_INFINITY];
  const currency = method.currency ?? "usd";
  const offered = SUGGESTED.filter((amount) => amount >= smallest && amount <= largest);
  const [text, setText] = useState(String(offered[1] ?? offered[0] ?? smallest));
  const [savesCard, setSavesCard] = useState(false);
  const [mistake, setMistake] = useState<string>();
  const open = useMutation({
    mutationFn: (amount: number) => api.call("POST /v1/billing/checkout", { body: { amount, save_card: savesCard } }),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: (error) => setMistake(error instanceof ApiError ? error.message : TEXTS.thePaymentCouldNot),
  });
  const amount = Number(text.trim().replace(",", "."));
  const isPossible = amount >= smallest && amount <= largest;

  function send(event: FormEvent) {
    event.preventDefault();
    if (!isPossible)
      return setMistake(TEXTS.thisMustBeFrom(showPrice(smallest, currency), showPrice(largest, currency)));
    setMistake(undefined);
    open.mutate(amount);
  }

  return (
    <form onSubmit={send} noValidate className="grid gap-4">
      <Segmented
        label={TEXTS.amount}
        value={text}
        onValueChange={(chosen) => {
          setText(chosen);
          setMistake(undefined);
        }}
        options={offered.map((value) => ({ value: String(value), label: showPrice(value, currency) }))}
      />
      <Field label={TEXTS.amount} hint={TEXTS.aCreditCosts(showPrice(1, currency))} error={mistake}>
        <Input
          inputMode="decimal"
          value={text}
          disabled={!mayBuy}
          autoComplete="off"
          suffix={currency.toUpperCase()}
          onChange={(event) => {
            setText(event.target.value);
            setMistake(undefined);
          }}
        />
      </Field>
      <Checkbox label={TEXTS.saveTheCardFor} checked={savesCard} disabled={!mayBuy} onCheckedChange={setSavesCard} />
      <Button
        type="submit"
        variant="primary"
        loading={open.isPending || open.isSuccess}
        disabled={!mayBuy}
        className="justify-self-start"
      >
        {isPossible ? TEXTS.pay(showPrice(amount, currency)) : TEXTS.payByCard}
      </Button>
    </form>
  );
}
