import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Form, FormValue, NumberField } from "../../ui/form.tsx";
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
  const isPossible = (amount: number | undefined) => amount !== undefined && amount >= smallest && amount <= largest;
  const form = useApiForm({
    values: { amount: (offered[1] ?? offered[0] ?? smallest) as number | undefined, save_card: false },
    send: ({ amount = 0, save_card }) => api.call("POST /v1/billing/checkout", { body: { amount, save_card } }),
    onSent: ({ url }) => window.location.assign(url),
  });
  const amount = form.watch("amount");
  return (
    <Form form={form}>
      <Segmented
        label={TEXTS.amount}
        value={String(amount)}
        onValueChange={(chosen) => form.setValue("amount", Number(chosen), { shouldValidate: true })}
        options={offered.map((value) => ({ value: String(value), label: showPrice(value, currency) }))}
      />
      <NumberField
        form={form}
        name="amount"
        label={TEXTS.amount}
        hint={TEXTS.aCreditCosts(showPrice(1, currency))}
        check={(chosen) =>
          isPossible(chosen)
            ? undefined
            : TEXTS.thisMustBeFrom(showPrice(smallest, currency), showPrice(largest, currency))
        }
        disabled={!mayBuy}
        suffix={currency.toUpperCase()}
      />
      <FormValue form={form} name="save_card">
        {({ value, onChange }) => (
          <Checkbox label={TEXTS.saveTheCardFor} checked={value} disabled={!mayBuy} onCheckedChange={onChange} />
        )}
      </FormValue>
      <Button
        type="submit"
        variant="primary"
        loading={form.isSending || form.answer !== undefined}
        disabled={!mayBuy}
        className="justify-self-start"
      >
        {isPossible(amount) ? TEXTS.pay(showPrice(amount ?? 0, currency)) : TEXTS.payByCard}
      </Button>
    </Form>
  );
}
