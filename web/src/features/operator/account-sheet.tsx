import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
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

const TEXTS = texts.operator.accountSheet;

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
      description={TEXTS.anOrganisationOnThis}
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
      title: suspended ? TEXTS.isSuspended(account.name) : TEXTS.mayWorkAgain(account.name),
    });
    await onChanged();
  };
  return (
    <div className="grid gap-8">
      {account.suspended && account.suspended_at !== null && (
        <Banner tone="danger" title={TEXTS.suspended}>
          <Sentence text={TEXTS.sinceItCanBe} parts={{ time: <Time at={account.suspended_at} form="date-time" /> }} />
        </Banner>
      )}
      {account.closed_at !== null && (
        <Banner title={TEXTS.closed}>
          <Sentence text={TEXTS.itsOwnerClosedIt} parts={{ time: <Time at={account.closed_at} /> }} />
        </Banner>
      )}
      <KeyValue
        items={[
          { label: TEXTS.balance, value: <Money credits={account.balance} /> },
          { label: TEXTS.spentInDays, value: <Money credits={account.last_30_days.cost} /> },
          { label: TEXTS.requestsInDays, value: formatNumber(account.last_30_days.requests) },
          { label: TEXTS.firstOwner, value: account.owner ?? TEXTS.nobodyHasJoinedYet },
          { label: TEXTS.members, value: account.members },
          { label: TEXTS.modelsOnOffer, value: account.models },
          { label: TEXTS.providerName, value: <code className="font-mono">{account.provider}</code> },
          {
            label: TEXTS.id,
            value: (
              <span className="flex items-center gap-1">
                <code className="font-mono text-sm wrap-anywhere">{account.id}</code>
                <CopyButton text={account.id} label={TEXTS.copyTheId} iconOnly size="sm" variant="ghost" />
              </span>
            ),
          },
        ]}
      />
      {account.closed_at === null && (
        <Section title={TEXTS.giveCredits} description={TEXTS.aGrantStandsIn}>
          <GrantForm accountId={account.id} onGranted={onChanged} />
        </Section>
      )}
      {!account.operator && account.closed_at === null && (
        <Section title={TEXTS.rateLimit} description={TEXTS.whatAllItsKeys}>
          <AccountRateForm account={account} onChanged={onChanged} />
        </Section>
      )}
      {!account.operator && account.closed_at === null && (
        <Section
          title={account.suspended ? TEXTS.endTheSuspension : TEXTS.suspend}
          description={TEXTS.aSuspendedOrganisationCan}
        >
          {account.suspended ? (
            <div>
              <Button onClick={() => change(false).catch(tellTrouble)}>{TEXTS.endTheSuspension}</Button>
            </div>
          ) : (
            <div>
              <Button variant="danger" onClick={() => setIsSuspending(true)}>
                {TEXTS.suspend2}
              </Button>
            </div>
          )}
        </Section>
      )}
      <ConfirmDialog
        open={isSuspending}
        onOpenChange={setIsSuspending}
        title={TEXTS.suspend3(account.name)}
        confirmLabel={TEXTS.suspend}
        danger
        onConfirm={() => change(true)}
      >
        <p>{TEXTS.itsKeysAndMembers}</p>
        <Field label={TEXTS.reason} hint={TEXTS.forTheOrganisationsAudit} optional className="mt-3">
          <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </Field>
      </ConfirmDialog>
    </div>
  );
}

function tellTrouble(error: unknown): void {
  toast({ tone: "danger", title: error instanceof Error ? error.message : TEXTS.thatDidNotWork });
}
