import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { NumberField, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.operatorMoney.creditDepositDialog;

export type Deposit = AnswerOf<"GET /v1/admin/token/deposits">["data"][number];

/** Credits a payment that waits to an account. */
export function CreditDepositDialog(props: {
  readonly deposit: Deposit;
  readonly onClose: () => void;
  readonly onCredited: () => unknown;
}) {
  const { deposit } = props;
  const form = useApiForm({
    values: { account_id: "", credits: (deposit.credits ?? undefined) as number | undefined },
    send: ({ account_id: accountId, credits }) =>
      api.call("POST /v1/admin/token/deposits/{id}/credit", {
        params: { id: deposit.id },
        body: {
          account_id: accountId.trim(),
          ...(credits === undefined || credits === deposit.credits ? {} : { credits }),
        },
      }),
    onSent: async () => {
      toast({ tone: "positive", title: TEXTS.credited });
      props.onClose();
      await props.onCredited();
    },
  });
  return (
    <FormDialog
      form={form}
      title={TEXTS.creditThisPayment}
      description={deposit.note ?? undefined}
      submitLabel={TEXTS.credit}
      onClose={props.onClose}
    >
      <TextField form={form} name="account_id" label={TEXTS.account} hint={TEXTS.itsIdFromThe} required mono />
      <NumberField
        form={form}
        name="credits"
        label={TEXTS.credits}
        hint={TEXTS.tokensThatArrived(deposit.received)}
        suffix={TEXTS.credits2}
      />
    </FormDialog>
  );
}
