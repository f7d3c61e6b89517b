import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { FormField, NumberField } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Section } from "../../ui/section.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.credits.waiting;

type CreditRequest = AnswerOf<"GET /v1/admin/credit-requests">["data"][number];

const KEY = ["operator", "credit-requests"];
const LOOK_EVERY_MS = 10_000;
const SUGGESTED_AMOUNT = 10;
const MOST = 1_000_000;

export const creditRequestsQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => api.call("GET /v1/admin/credit-requests", { signal, query: { state: "open", limit: 100 } }),
  refetchInterval: LOOK_EVERY_MS,
});

/** Organisations that ask for credits; nothing where none does. */
export function WaitingCreditRequests() {
  const { data } = useQuery(creditRequestsQuery);
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Section title={TEXTS.title} description={TEXTS.description}>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {data.data.map((request) => (
          <RequestRow key={request.id} request={request} />
        ))}
      </ul>
    </Section>
  );
}

function RequestRow({ request }: { readonly request: CreditRequest }) {
  const { account, message, requested_by: email, created_at: createdAt } = request;
  const mayChange = usePermission("operator.change");
  const [decision, setDecision] = useState<"grant" | "decline">();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <span className="min-w-0 grow basis-56">
        <span className="block font-medium wrap-anywhere">{account.name}</span>
        <span className="block wrap-anywhere">{message}</span>
        <span className="block text-sm wrap-anywhere text-muted">
          <Sentence
            text={TEXTS.line}
            parts={{
              email: email ?? TEXTS.noPerson,
              balance: <Money credits={account.balance} />,
              time: <Time at={createdAt} />,
            }}
          />
        </span>
      </span>
      {mayChange && (
        <span className="flex items-center gap-2">
          <Button
            size="sm"
            variant="primary"
            aria-label={TEXTS.grantFor(account.name)}
            onClick={() => setDecision("grant")}
          >
            {TEXTS.grant}
          </Button>
          <Button size="sm" aria-label={TEXTS.declineFor(account.name)} onClick={() => setDecision("decline")}>
            {TEXTS.decline}
          </Button>
        </span>
      )}
      {decision !== undefined && (
        <DecisionDialog request={request} isGrant={decision === "grant"} onClose={() => setDecision(undefined)} />
      )}
    </li>
  );
}

interface DecisionDialogProps {
  readonly request: CreditRequest;
  readonly isGrant: boolean;
  readonly onClose: () => void;
}

function DecisionDialog({ request: { id, account, message }, isGrant, onClose }: DecisionDialogProps) {
  const queries = useQueryClient();
  const form = useApiForm({
    values: { amount: SUGGESTED_AMOUNT as number | undefined, reply: "" },
    send: ({ amount = 0, reply }) => {
      const words = reply.trim() === "" ? {} : { reply: reply.trim() };
      return isGrant
        ? api.call("POST /v1/admin/credit-requests/{id}/grant", { params: { id }, body: { amount, ...words } })
        : api.call("POST /v1/admin/credit-requests/{id}/decline", { params: { id }, body: words });
    },
    onSent: (_answer, { amount = 0 }) => {
      const granted = TEXTS.granted(formatMoney(amount), account.name);
      toast({ tone: isGrant ? "positive" : "info", title: isGrant ? granted : TEXTS.declined(account.name) });
      onClose();
      void queries.invalidateQueries({ queryKey: KEY });
      void queries.invalidateQueries({ queryKey: ["operator", "accounts"] });
    },
  });
  return (
    <FormDialog
      form={form}
      title={isGrant ? TEXTS.grantTitle(account.name) : TEXTS.declineTitle(account.name)}
      submitLabel={isGrant ? TEXTS.grant : TEXTS.decline}
      danger={!isGrant}
      onClose={onClose}
    >
      <p className="wrap-anywhere text-muted">{message}</p>
      {isGrant && (
        <NumberField
          form={form}
          name="amount"
          label={TEXTS.amount}
          check={(amount = 0) => (amount > 0 && amount <= MOST ? undefined : TEXTS.amountWrong)}
          suffix={TEXTS.credits}
          inputClassName="pr-18"
        />
      )}
      <FormField form={form} name="reply" label={TEXTS.reply} optional hint={TEXTS.replyHint}>
        {(field) => <Textarea {...field} rows={2} maxLength={500} />}
      </FormField>
    </FormDialog>
  );
}
