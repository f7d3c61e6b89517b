import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Form, NumberField, TextField } from "../../ui/form.tsx";
import { formatMoney } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operatorMoney.grantForm;

/** Gives an organisation credits. */
export function GrantForm({ accountId, onGranted }: { readonly accountId: string; readonly onGranted: () => unknown }) {
  const form = useApiForm({
    values: { amount: undefined as number | undefined, memo: "" },
    send: ({ amount = 0, memo }) =>
      api.call("POST /v1/admin/accounts/{id}/grants", {
        params: { id: accountId },
        body: { amount, ...(memo === "" ? {} : { memo }) },
      }),
    onSent: async ({ balance }) => {
      toast({ tone: "positive", title: TEXTS.granted, description: TEXTS.theBalanceIs(formatMoney(balance)) });
      form.reset();
      await onGranted();
    },
  });
  return (
    <Form form={form}>
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField form={form} name="amount" label={TEXTS.amount} required suffix={TEXTS.credits} />
        <TextField form={form} name="memo" label={TEXTS.memo} optional maxLength={256} />
      </div>
      <div>
        <Button type="submit" variant="primary" loading={form.isSending}>
          {TEXTS.giveCredits}
        </Button>
      </div>
    </Form>
  );
}
