import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { FormValue, TextField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
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
  const form = useApiForm({
    values: { method: start?.method ?? methods[0] ?? ("bank" as Method), destination: start?.destination ?? "" },
    send: (body) => api.call("PUT /v1/provider/payout-destination", { body }),
    onSent: async () => {
      await onSaved();
      onOpenChange(false);
    },
  });
  const method = form.watch("method");
  return (
    <FormDialog
      form={form}
      title={TEXTS.whereYouArePaid}
      description={TEXTS.aPayoutThatYou}
      submitLabel={TEXTS.save}
      onClose={() => onOpenChange(false)}
    >
      {methods.length > 1 && (
        <FormValue form={form} name="method">
          {({ value, onChange }) => (
            <Segmented
              label={TEXTS.paidBy}
              value={value}
              onValueChange={onChange}
              options={methods.map((each) => ({ value: each, label: LABELS[each] }))}
            />
          )}
        </FormValue>
      )}
      <TextField
        form={form}
        name="destination"
        label={method === "token" ? TEXTS.walletsAddress : TEXTS.accountHolderAndNumber}
        hint={method === "token" ? TEXTS.xAndHexadecimalDigits : TEXTS.suchAsAName}
        required
        mono={method === "token"}
        maxLength={256}
      />
    </FormDialog>
  );
}
