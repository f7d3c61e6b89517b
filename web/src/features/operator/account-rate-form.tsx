import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operator.accountRateForm;

interface AccountRateFormProps {
  readonly account: { readonly id: string; readonly requests_per_minute: number | null };
  readonly onChanged: () => unknown;
}

/** Sets what all keys of an organisation may send a minute together. */
export function AccountRateForm({ account, onChanged }: AccountRateFormProps) {
  const [rate, setRate] = useState(account.requests_per_minute ?? undefined);
  const change = useMutation({
    mutationFn: () =>
      api.call("PATCH /v1/admin/accounts/{id}", {
        params: { id: account.id },
        body: { requests_per_minute: rate ?? null },
      }),
    onSuccess: async () => {
      toast({ tone: "positive", title: TEXTS.theLimitIsChanged });
      await onChanged();
    },
  });
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate();
      }}
    >
      <Field label={TEXTS.requestsAMinute} optional error={change.error?.message} hint={TEXTS.leftEmptyWhatThe}>
        <NumberInput value={rate} onValueChange={setRate} placeholder={TEXTS.theServicesLimit} />
      </Field>
      <div>
        <Button type="submit" loading={change.isPending} disabled={(rate ?? null) === account.requests_per_minute}>
          {TEXTS.setTheLimit}
        </Button>
      </div>
    </form>
  );
}
