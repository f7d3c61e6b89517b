import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operatorMoney.grantForm;

/** Gives an organisation credits. */
export function GrantForm({ accountId, onGranted }: { readonly accountId: string; readonly onGranted: () => unknown }) {
  const [amount, setAmount] = useState<number>();
  const [memo, setMemo] = useState("");
  const grant = useMutation({
    mutationFn: (credits: number) =>
      api.call("POST /v1/admin/accounts/{id}/grants", {
        params: { id: accountId },
        body: { amount: credits, ...(memo === "" ? {} : { memo }) },
      }),
    onSuccess: async ({ balance }) => {
      toast({ tone: "positive", title: TEXTS.granted, description: TEXTS.theBalanceIs(formatMoney(balance)) });
      setAmount(undefined);
      setMemo("");
      await onGranted();
    },
  });
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (amount !== undefined) grant.mutate(amount);
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={TEXTS.amount} required error={grant.error?.message}>
          <NumberInput value={amount} onValueChange={setAmount} suffix={TEXTS.credits} required />
        </Field>
        <Field label={TEXTS.memo} optional>
          <Input value={memo} maxLength={256} onChange={(event) => setMemo(event.target.value)} />
        </Field>
      </div>
      <div>
        <Button type="submit" variant="primary" loading={grant.isPending} disabled={amount === undefined}>
          {TEXTS.giveCredits}
        </Button>
      </div>
    </form>
  );
}
