import { type QueryKey, type UseQueryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { FieldValues } from "react-hook-form";
import { usePermission } from "../../api/session.ts";
import { type ApiFormOptions, useApiForm } from "../../api/use-api-form.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { NeedsRole } from "./needs-role.tsx";

const TEXTS = texts.webhooks.secret;

interface ReceiverWords {
  readonly title: string;
  readonly description: string;
  readonly forbidden: string;
  readonly add: string;
  readonly loading: string;
  readonly empty: string;
  readonly emptyText: string;
  readonly full: (most: number) => string;
}

interface ReceiverPage<Receiver> {
  readonly data: readonly Receiver[];
  readonly next_cursor: string | null;
}

export interface ReceiversProps<Receiver, Key extends QueryKey> {
  readonly words: ReceiverWords;
  readonly icon: ReactNode;
  /** How many there can be. */
  readonly most: number;
  readonly query: UseQueryOptions<ReceiverPage<Receiver>, Error, ReceiverPage<Receiver>, Key>;
  /** The list of them. */
  readonly children: (
    receivers: readonly Receiver[],
    mayChange: boolean,
    edit: (receiver: Receiver) => void,
  ) => ReactNode;
  /** The form of one, or of a new one. */
  readonly form: (receiver: Receiver | undefined, onClose: () => void) => ReactNode;
}

/** A tab of URLs that the organisation has given: for webhooks, for its logs, for guardrails. */
export function Receivers<Receiver, Key extends QueryKey>(props: ReceiversProps<Receiver, Key>) {
  useDocumentTitle(props.words.title);
  return usePermission("webhooks.read") ? (
    <ReceiverSection {...props} />
  ) : (
    <NeedsRole>{props.words.forbidden}</NeedsRole>
  );
}

function ReceiverSection<Receiver, Key extends QueryKey>({
  words,
  icon,
  most,
  query,
  children,
  form,
}: ReceiversProps<Receiver, Key>) {
  const mayChange = usePermission("webhooks.change");
  const { data, error, refetch } = useQuery(query);
  const [edited, setEdited] = useState<Receiver | "new">();
  const receivers = data?.data ?? [];
  const isFull = receivers.length >= most;
  const add = mayChange && (
    <Button
      variant="primary"
      icon={<Plus aria-hidden="true" />}
      disabled={isFull || data === undefined}
      onClick={() => setEdited("new")}
    >
      {words.add}
    </Button>
  );
  return (
    <Section
      title={words.title}
      description={isFull ? words.full(most) : words.description}
      actions={receivers.length > 0 && add}
    >
      {data === undefined &&
        (error === null ? (
          <SkeletonRows rows={3} label={words.loading} />
        ) : (
          <ErrorState error={error} onRetry={refetch} />
        ))}
      {data !== undefined && receivers.length === 0 && (
        <EmptyState icon={icon} title={words.empty} action={add}>
          {words.emptyText}
        </EmptyState>
      )}
      {receivers.length > 0 && children(receivers, mayChange, setEdited)}
      {edited !== undefined && form(edited === "new" ? undefined : edited, () => setEdited(undefined))}
    </Section>
  );
}

export interface ReceiverFormOptions<Values extends FieldValues>
  extends Pick<ApiFormOptions<Values, { readonly secret?: string | undefined }>, "values" | "send" | "params"> {
  readonly queryKey: QueryKey;
  /** What is said when it is saved and there is no new secret. */
  readonly saved: string;
  readonly onClose: () => void;
}

/** The form of a receiver. One that is new, or that moved to another origin, ends with its secret, which is shown this once. */
export function useReceiverForm<Values extends FieldValues>({
  queryKey,
  saved,
  onClose,
  ...options
}: ReceiverFormOptions<Values>) {
  const queries = useQueryClient();
  return useApiForm({
    ...options,
    onSent: async ({ secret }) => {
      await queries.invalidateQueries({ queryKey });
      if (secret !== undefined) return;
      onClose();
      toast({ title: saved });
    },
  });
}

/** What a receiver checks signatures with, shown this once. */
export function ReceiverSecret(props: {
  readonly secret: string;
  readonly text: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      open
      sticky
      onOpenChange={props.onClose}
      title={TEXTS.title}
      description={props.text}
      footer={
        <Button variant="primary" onClick={props.onClose}>
          {TEXTS.done}
        </Button>
      }
    >
      <SecretOnce label={TEXTS.label} secret={props.secret} />
    </Dialog>
  );
}
