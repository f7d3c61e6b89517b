import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, NumberField } from "../../ui/form.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operator.accountRateForm;

interface AccountRateFormProps {
  readonly account: { readonly id: string; readonly requests_per_minute: number | null };
  readonly onChanged: () => unknown;
}

/** Sets what all keys of an organisation may send a minute together. */
export function AccountRateForm({ account, onChanged }: AccountRateFormProps) {
  const form = useApiForm({
    values: { requests_per_minute: (account.requests_per_minute ?? undefined) as number | undefined },
    send: ({ requests_per_minute: rate = null }) =>
      api.call("PATCH /v1/admin/accounts/{id}", { params: { id: account.id }, body: { requests_per_minute: rate } }),
    onSent: async (_answer, values) => {
      form.reset(values);
      toast({ tone: "positive", title: TEXTS.theLimitIsChanged });
      await onChanged();
    },
  });
  return (
    <Form form={form}>
      <NumberField
        form={form}
        name="requests_per_minute"
        label={TEXTS.requestsAMinute}
        optional
        hint={TEXTS.leftEmptyWhatThe}
        placeholder={TEXTS.theServicesLimit}
      />
      <div>
        <Button type="submit" loading={form.isSending} disabled={!form.isDirty}>
          {TEXTS.setTheLimit}
        </Button>
      </div>
    </Form>
  );
}
