import { useMutation } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useId, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Segmented } from "../../ui/segmented.tsx";

const TEXTS = texts.earnings.payoutDestinationForm;

type Earnings = AnswerOf<"GET /v1/provider/earnings">;
type Method = Earnings["methods"][number];

export interface PayoutDestinationFormProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly methods: readonly Method[];
  readonly start: Pick<NonNullable<Earnings["destination"]>, "method" | "destination"> | undefined;
  readonly onSaved: () => Promise<unknown>;
}

const LABELS = { bank: TEXTS.bank, token: TEXTS.token } as const;

/** Where earnings are paid to. */
export function PayoutDestinationForm(props: PayoutDestinationFormProps) {
  return props.open ? <OpenForm {...props} /> : null;
}

function OpenForm({ onOpenChange, methods, start, onSaved }: PayoutDestinationFormProps) {
  const formId = useId();
  const [method, setMethod] = useState<Method>(start?.method ?? methods[0] ?? "bank");
  const [destination, setDestination] = useState(start?.destination ?? "");
  const save = useMutation({
    mutationFn: () => api.call("PUT /v1/provider/payout-destination", { body: { method, destination } }),
    onSuccess: async () => {
      await onSaved();
      onOpenChange(false);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onOpenChange}
      title={TEXTS.whereYouArePaid}
      description={TEXTS.aPayoutThatYou}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{TEXTS.cancel}</Button>
          <Button type="submit" form={formId} variant="primary" loading={save.isPending}>
            {TEXTS.save}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {methods.length > 1 && (
          <Segmented
            label={TEXTS.paidBy}
            value={method}
            onValueChange={setMethod}
            options={methods.map((value) => ({ value, label: LABELS[value] }))}
          />
        )}
        <Field
          label={method === "token" ? TEXTS.walletsAddress : TEXTS.accountHolderAndNumber}
          hint={method === "token" ? TEXTS.xAndHexadecimalDigits : TEXTS.suchAsAName}
          error={save.error?.message}
          required
        >
          <Input
            value={destination}
            mono={method === "token"}
            maxLength={256}
            required
            onChange={(event) => setDestination(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  );
}
