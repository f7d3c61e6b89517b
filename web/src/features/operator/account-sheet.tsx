import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Field } from "../../ui/field.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { KeyValue } from "../../ui/key-value.tsx";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/section.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { AccountRateForm } from "./account-rate-form.tsx";
import { GrantForm } from "./grant-form.tsx";

type Account = AnswerOf<"GET /v1/admin/accounts">["data"][number];

export interface AccountSheetProps {
  /** Undefined: closed. */
  readonly account: Account | undefined;
  readonly onClose: () => void;
  readonly onChanged: () => unknown;
}

/** One organisation: what it has and does, a grant, its rate limit, and its suspension. */
export function AccountSheet({ account, onClose, onChanged }: AccountSheetProps) {
  return (
    <Sheet
      open={account !== undefined}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={account?.name ?? ""}
      description="An organisation on this service."
    >
      {account !== undefined && <AccountDetails key={account.id} account={account} onChanged={onChanged} />}
    </Sheet>
  );
}

function AccountDetails({ account, onChanged }: { readonly account: Account; readonly onChanged: () => unknown }) {
  const [isSuspending, setIsSuspending] = useState(false);
  const [reason, setReason] = useState("");
  const change = async (suspended: boolean) => {
    await api.call("PATCH /v1/admin/accounts/{id}", {
      params: { id: account.id },
      body: { suspended, ...(reason === "" ? {} : { reason }) },
    });
    toast({
      tone: "positive",
      title: suspended ? `${account.name} is suspended` : `${account.name} may work again`,
    });
    await onChanged();
  };
  return (
    <div className="grid gap-8">
      {account.suspended && account.suspended_at !== null && (
        <Banner tone="danger" title="Suspended">
          Since <Time at={account.suspended_at} form="date-time" />. It can be looked at, but neither spends nor changes
          anything.
        </Banner>
      )}
      {account.closed_at !== null && (
        <Banner title="Closed">
          Its owner closed it <Time at={account.closed_at} />. What is on record stays.
        </Banner>
      )}
      <KeyValue
        items={[
          { label: "Balance", value: <Money credits={account.balance} /> },
          { label: "Spent in 30 days", value: <Money credits={account.last_30_days.cost} /> },
          { label: "Requests in 30 days", value: formatNumber(account.last_30_days.requests) },
          { label: "First owner", value: account.owner ?? "Nobody has joined yet" },
          { label: "Members", value: account.members },
          { label: "Models on offer", value: account.models },
          { label: "Provider name", value: <code className="font-mono">{account.provider}</code> },
          {
            label: "Id",
            value: (
              <span className="flex items-center gap-1">
                <code className="font-mono text-sm wrap-anywhere">{account.id}</code>
                <CopyButton text={account.id} label="Copy the id" iconOnly size="sm" variant="ghost" />
              </span>
            ),
          },
        ]}
      />
      {account.closed_at === null && (
        <Section title="Give credits" description="A grant stands in the ledger and in the audit log.">
          <GrantForm accountId={account.id} onGranted={onChanged} />
        </Section>
      )}
      {!account.operator && account.closed_at === null && (
        <Section title="Rate limit" description="What all its keys may send together.">
          <AccountRateForm account={account} onChanged={onChanged} />
        </Section>
      )}
      {!account.operator && account.closed_at === null && (
        <Section
          title={account.suspended ? "End the suspension" : "Suspend"}
          description="A suspended organisation can look at everything, and do nothing. Its models are suspended by themselves, under Models."
        >
          {account.suspended ? (
            <div>
              <Button onClick={() => change(false).catch(tellTrouble)}>End the suspension</Button>
            </div>
          ) : (
            <div>
              <Button variant="danger" onClick={() => setIsSuspending(true)}>
                Suspend…
              </Button>
            </div>
          )}
        </Section>
      )}
      <ConfirmDialog
        open={isSuspending}
        onOpenChange={setIsSuspending}
        title={`Suspend ${account.name}?`}
        confirmLabel="Suspend"
        danger
        onConfirm={() => change(true)}
      >
        <p>Its keys and members are refused whatever spends or changes, within a second.</p>
        <Field label="Reason" hint="For the organisation's audit log." optional className="mt-3">
          <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </ConfirmDialog>
    </div>
  );
}

function tellTrouble(error: unknown): void {
  toast({ tone: "danger", title: error instanceof Error ? error.message : "That did not work." });
}
