import { useMutation } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { errorAt, errorBeside } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
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
  const [accountId, setAccountId] = useState("");
  const [credits, setCredits] = useState<number | undefined>(deposit.credits ?? undefined);
  const credit = useMutation({
    mutationFn: () =>
      api.call("POST /v1/admin/token/deposits/{id}/credit", {
        params: { id: deposit.id },
        body: {
          account_id: accountId.trim(),
          ...(credits === undefined || credits === deposit.credits ? {} : { credits }),
        },
      }),
    onSuccess: async () => {
      toast({ tone: "positive", title: TEXTS.credited });
      props.onClose();
      await props.onCredited();
    },
  });
  const message = errorBeside(credit.error, ["account_id", "credits"]);
  return (
    <Dialog open onOpenChange={props.onClose} title={TEXTS.creditThisPayment} description={deposit.note ?? undefined}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          credit.mutate();
        }}
      >
        {message !== undefined && <Banner tone="danger">{message}</Banner>}
        <Field label={TEXTS.account} hint={TEXTS.itsIdFromThe} error={errorAt(credit.error, "account_id")} required>
          <Input mono value={accountId} onChange={(event) => setAccountId(event.target.value)} />
        </Field>
        <Field
          label={TEXTS.credits}
          hint={TEXTS.tokensThatArrived(deposit.received)}
          error={errorAt(credit.error, "credits")}
        >
          <NumberInput value={credits} onValueChange={setCredits} suffix={TEXTS.credits2} />
        </Field>
        <Button type="submit" variant="primary" loading={credit.isPending} className="justify-self-start">
          {TEXTS.credit}
        </Button>
      </form>
    </Dialog>
  );
}
