import { useMutation } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useId, useState } from "react";
import { api } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { Segmented } from "../../ui/segmented.tsx";

type Earnings = AnswerOf<"GET /v1/provider/earnings">;
type Method = Earnings["methods"][number];

export interface PayoutDestinationFormProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly methods: readonly Method[];
  readonly start: Pick<NonNullable<Earnings["destination"]>, "method" | "destination"> | undefined;
  readonly onSaved: () => Promise<unknown>;
}

const LABELS = { bank: "Bank", token: "Token" } as const;

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
      title="Where you are paid to"
      description="A payout that you have requested keeps the destination it was requested with."
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" loading={save.isPending}>
            Save
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
            label="Paid by"
            value={method}
            onValueChange={setMethod}
            options={methods.map((value) => ({ value, label: LABELS[value] }))}
          />
        )}
        <Field
          label={method === "token" ? "Wallet's address" : "Account holder and number"}
          hint={
            method === "token" ? "0x and 40 hexadecimal digits." : "Such as a name and an IBAN: what a transfer needs."
          }
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
