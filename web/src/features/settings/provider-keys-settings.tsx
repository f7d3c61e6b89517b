import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { NeedsRole } from "./needs-role.tsx";
import { ProviderKeyForm } from "./provider-key-form.tsx";
import { keyProvidersQuery, type ProviderKey, providerKeysQuery } from "./provider-key-queries.ts";

const MOST = 20;

/** The tab Provider keys: what the organisation brings along to pay providers itself. */
export function ProviderKeysSettings() {
  useDocumentTitle("Provider keys");
  return usePermission("settings.read") ? (
    <ProviderKeys />
  ) : (
    <NeedsRole>Provider keys are shown to members who may see the settings.</NeedsRole>
  );
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
      Add provider key
    </Button>
  );
  return (
    <Section
      title="Provider keys"
      description={
        isFull
          ? `There are ${MOST}, which is all there can be. Remove one to add another.`
          : `Your own keys for providers. Requests to their models are made with them, and cost ${feeWords(providers?.fee_percent)}.`
      }
      actions={keys.length > 0 && add}
    >
      {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={3} label="Provider keys are loading" />}
      {data !== undefined && keys.length === 0 && (
        <EmptyState icon={<KeyRound />} title="No provider keys yet" action={add}>
          Add a key that you have with a provider, such as OpenAI or Anthropic. The provider bills you for its models,
          and they are listed for you even where the service itself has no key for them.
        </EmptyState>
      )}
      {keys.length > 0 && (
        <Table
          label="Table of provider keys"
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
          title={`Remove this key for ${nameOf(leaving.provider)}?`}
          confirmLabel="Remove"
          danger
          onConfirm={async () => {
            await api.call("DELETE /v1/provider-keys/{id}", { params: { id: leaving.id } });
            await queries.invalidateQueries({ queryKey: providerKeysQuery.queryKey });
            await queries.invalidateQueries({ queryKey: ["models"] });
            await queries.invalidateQueries({ queryKey: ["catalogue"] });
            toast({ title: "The provider key is removed." });
          }}
        >
          <p>
            Requests to models of {nameOf(leaving.provider)} are made with the service's own key again and cost the full
            price; where it has none, they are refused. The key itself stays valid at the provider.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function feeWords(percent: number | undefined): string {
  if (percent === undefined) return "the service's fee alone";
  return percent === 0 ? "nothing here" : `${percent} % of the price here`;
}

function columnsOf(
  nameOf: (provider: string) => string,
  onRemove: ((key: ProviderKey) => void) | undefined,
): readonly Column<ProviderKey>[] {
  return [
    {
      id: "provider",
      header: "Provider",
      cell: ({ provider, hint }) => (
        <span className="grid">
          <span>{nameOf(provider)}</span>
          <code className="text-sm font-normal text-muted">{hint === "" ? "••••" : `••••${hint}`}</code>
        </span>
      ),
    },
    {
      id: "fallback",
      header: "Where it is refused",
      cell: ({ fallback }) =>
        fallback ? <Badge>The service's key, full price</Badge> : <Badge>The request fails</Badge>,
    },
    {
      id: "made",
      header: "Added",
      wideOnly: true,
      cell: (key) => <Time at={key.created_at} form="date" />,
    },
    ...(onRemove === undefined
      ? []
      : [
          {
            id: "remove",
            header: "Remove",
            align: "right" as const,
            cell: (key: ProviderKey) => (
              <Button
                size="sm"
                aria-label={`Remove the key for ${nameOf(key.provider)} that ends with ${key.hint}`}
                onClick={() => onRemove(key)}
              >
                Remove
              </Button>
            ),
          },
        ]),
  ];
}
