import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatPercent } from "../../ui/format.ts";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { NeedsRole } from "./needs-role.tsx";
import { ProviderKeyForm } from "./provider-key-form.tsx";
import { keyProvidersQuery, type ProviderKey, providerKeysQuery } from "./provider-key-queries.ts";

const TEXTS = texts.settings.providerKeys;

const MOST = 20;

/** The tab Provider keys: what the organisation brings along to pay providers itself. */
export function ProviderKeysSettings() {
  useDocumentTitle(TEXTS.title);
  return usePermission("settings.read") ? <ProviderKeys /> : <NeedsRole>{TEXTS.forbidden}</NeedsRole>;
}

function ProviderKeys() {
  const mayChange = usePermission("settings.change");
  const queries = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  const [leaving, setLeaving] = useState<ProviderKey>();
  const { data, error, refetch } = useQuery(providerKeysQuery);
  const { data: providers } = useQuery(keyProvidersQuery);
  const nameOf = (id: string) => providers?.data.find((provider) => provider.id === id)?.name ?? id;
  const keys = data?.data ?? [];
  const isFull = keys.length >= MOST;
  const add = mayChange && (
    <Button
      variant="primary"
      icon={<Plus aria-hidden="true" />}
      disabled={isFull || data === undefined}
      onClick={() => setIsAdding(true)}
    >
      {TEXTS.add}
    </Button>
  );
  return (
    <Section
      title={TEXTS.title}
      description={isFull ? TEXTS.full(MOST) : feeWords(providers?.fee_percent)}
      actions={keys.length > 0 && add}
    >
      {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={3} label={TEXTS.loading} />}
      {data !== undefined && keys.length === 0 && (
        <EmptyState icon={<KeyRound />} title={TEXTS.empty} action={add}>
          {TEXTS.emptyText}
        </EmptyState>
      )}
      {keys.length > 0 && (
        <Table
          label={TEXTS.label}
          columns={columnsOf(nameOf, mayChange ? setLeaving : undefined)}
          rows={keys}
          rowKey={({ id }) => id}
        />
      )}
      {isAdding && <ProviderKeyForm onClose={() => setIsAdding(false)} />}
      {leaving !== undefined && (
        <ConfirmDialog
          open
          onOpenChange={() => setLeaving(undefined)}
          title={TEXTS.removeTitle(nameOf(leaving.provider))}
          confirmLabel={TEXTS.remove}
          danger
          onConfirm={async () => {
            await api.call("DELETE /v1/provider-keys/{id}", { params: { id: leaving.id } });
            await queries.invalidateQueries({ queryKey: providerKeysQuery.queryKey });
            await queries.invalidateQueries({ queryKey: ["models"] });
            await queries.invalidateQueries({ queryKey: ["catalogue"] });
            toast({ title: TEXTS.removed });
          }}
        >
          <p>{TEXTS.removeText(nameOf(leaving.provider))}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function feeWords(percent: number | undefined): string {
  if (percent === undefined) return TEXTS.description.unknown;
  return percent === 0 ? TEXTS.description.free : TEXTS.description.fee(formatPercent(percent / 100));
}

function columnsOf(
  nameOf: (provider: string) => string,
  onRemove: ((key: ProviderKey) => void) | undefined,
): readonly Column<ProviderKey>[] {
  return [
    {
      id: "provider",
      header: TEXTS.provider,
      cell: ({ provider, hint }) => (
        <span className="grid">
          <span>{nameOf(provider)}</span>
          <code className="text-sm font-normal text-muted">{hint === "" ? "••••" : `••••${hint}`}</code>
        </span>
      ),
    },
    {
      id: "fallback",
      header: TEXTS.ifRejected,
      cell: ({ fallback }) => (fallback ? <Badge>{TEXTS.usesService}</Badge> : <Badge>{TEXTS.fails}</Badge>),
    },
    {
      id: "made",
      header: TEXTS.added,
      wideOnly: true,
      cell: (key) => <Time at={key.created_at} form="date" />,
    },
    ...(onRemove === undefined
      ? []
      : [
          {
            id: "remove",
            header: TEXTS.remove,
            align: "right" as const,
            cell: (key: ProviderKey) => (
              <Button
                size="sm"
                aria-label={TEXTS.removeKey(nameOf(key.provider), key.hint)}
                onClick={() => onRemove(key)}
              >
                {TEXTS.remove}
              </Button>
            ),
          },
        ]),
  ];
}
