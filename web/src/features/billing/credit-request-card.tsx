import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { useApiForm } from "../../api/use-api-form.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { Form, FormField } from "../../ui/form.tsx";
import { Money } from "../../ui/money.tsx";
import { Textarea } from "../../ui/textarea.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

const TEXTS = texts.credits.request;

type CreditRequest = AnswerOf<"GET /v1/billing/credit-requests">["data"][number];

/** The newest request for credits. While one is open, the decision is looked for. */
export const creditRequestQuery = queryOptions({
  queryKey: ["billing", "credit-request"],
  queryFn: async ({ signal }) =>
    (await api.call("GET /v1/billing/credit-requests", { signal, query: { limit: 1 } })).data[0] ?? null,
  refetchInterval: ({ state }) => (state.data?.state === "open" ? 5_000 : false),
});

/** Asks the operator for credits, and says what became of it. */
export function CreditRequestForm() {
  const queries = useQueryClient();
  const mayAsk = usePermission("billing.change");
  const { data: last } = useQuery(creditRequestQuery);
  const [isAgain, setIsAgain] = useState(false);
  const refresh = () => {
    setIsAgain(false);
    return queries.invalidateQueries({ queryKey: ["billing"] });
  };
  if (last !== undefined && last !== null && last.state !== "withdrawn" && !isAgain)
    return <RequestState request={last} mayAsk={mayAsk} onAgain={() => setIsAgain(true)} onChanged={refresh} />;
  return <AskForm mayAsk={mayAsk} onSent={refresh} />;
}

function AskForm({ mayAsk, onSent }: { readonly mayAsk: boolean; readonly onSent: () => Promise<void> }) {
  const { features } = useSession();
  const form = useApiForm({
    values: { message: "" },
    send: ({ message }) => api.call("POST /v1/billing/credit-requests", { body: { message: message.trim() } }),
    onSent: async () => {
      await onSent();
      toast({
        tone: "positive",
        title: TEXTS.sent,
        description: features.mail ? TEXTS.sentMail : TEXTS.sentText,
      });
    },
  });
  return (
    <Form form={form} className="gap-3">
      <p className="text-muted">{TEXTS.text}</p>
      <FormField
        form={form}
        name="message"
        label={TEXTS.message}
        hint={TEXTS.messageHint}
        check={(message) => (message.trim() === "" ? TEXTS.requiredMessage : undefined)}
      >
        {(field) => <Textarea {...field} rows={2} maxLength={500} disabled={!mayAsk} />}
      </FormField>
      <Button
        type="submit"
        variant="primary"
        loading={form.isSending}
        disabled={!mayAsk}
        className="justify-self-start"
      >
        {TEXTS.send}
      </Button>
    </Form>
  );
}

interface RequestStateProps {
  readonly request: CreditRequest;
  readonly mayAsk: boolean;
  readonly onAgain: () => void;
  readonly onChanged: () => Promise<void>;
}

function RequestState({ request, mayAsk, onAgain, onChanged }: RequestStateProps) {
  const { id, state, message, amount, reply, created_at: createdAt, decided_at: decidedAt } = request;
  const withdraw = useMutation({
    mutationFn: () => api.call("DELETE /v1/billing/credit-requests/{id}", { params: { id } }),
    onSuccess: () => toast({ title: TEXTS.withdrawn }),
    onError: (error) => toast({ tone: "danger", title: error.message }),
    onSettled: onChanged,
  });
  const at = <Time at={decidedAt ?? createdAt} />;
  if (state === "open")
    return (
      <div className="grid gap-3">
        <Banner title={TEXTS.waiting}>
          <span className="wrap-anywhere">
            <Sentence text={TEXTS.waitingText} parts={{ time: at, message }} />
          </span>
        </Banner>
        {mayAsk && (
          <Button
            size="sm"
            loading={withdraw.isPending}
            className="justify-self-start"
            onClick={() => withdraw.mutate()}
          >
            {TEXTS.withdraw}
          </Button>
        )}
      </div>
    );
  const isGranted = state === "granted";
  return (
    <div className="grid gap-3">
      <Banner tone={isGranted ? "positive" : "warning"} title={isGranted ? TEXTS.granted : TEXTS.declined}>
        <Sentence
          text={isGranted ? TEXTS.grantedText : TEXTS.declinedText}
          parts={{ amount: <Money credits={amount ?? 0} />, time: at }}
        />
        {reply !== null && (
          <span className="mt-1 block wrap-anywhere">
            <Sentence text={TEXTS.reply} parts={{ reply }} />
          </span>
        )}
      </Banner>
      {mayAsk && (
        <Button size="sm" className="justify-self-start" onClick={onAgain}>
          {TEXTS.again}
        </Button>
      )}
    </div>
  );
}
