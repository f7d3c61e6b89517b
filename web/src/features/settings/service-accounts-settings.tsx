import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bot, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { NeedsRole } from "./needs-role.tsx";
import { ServiceAccountForm } from "./service-account-form.tsx";
import { type ServiceAccount, serviceAccountsQuery } from "./service-account-queries.ts";
import { TrustsDialog } from "./trusts-dialog.tsx";

const TEXTS = texts.sso.accounts;

/** The tab Service accounts: keys for workloads that have no lasting secret. */
export function ServiceAccountsSettings() {
  useDocumentTitle(TEXTS.tab);
  return usePermission("keys.read") ? <Accounts /> : <NeedsRole>{TEXTS.forbidden}</NeedsRole>;
}

function Accounts() {
  const mayChange = usePermission("keys.change");
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(serviceAccountsQuery);
  const [isMaking, setIsMaking] = useState(false);
  const [opened, setOpened] = useState<ServiceAccount>();
  const [leaving, setLeaving] = useState<ServiceAccount>();
  const columns = useMemo(() => columnsOf(mayChange ? setLeaving : undefined), [mayChange]);
  const accounts = data?.data ?? [];
  const create = mayChange && (
    <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={() => setIsMaking(true)}>
      {TEXTS.create}
    </Button>
  );
  return (
    <Section title={TEXTS.title} description={TEXTS.description} actions={accounts.length > 0 && create}>
      {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={3} label={TEXTS.loading} />}
      {data !== undefined && accounts.length === 0 && (
        <EmptyState icon={<Bot />} title={TEXTS.empty} action={create}>
          {TEXTS.emptyText}
        </EmptyState>
      )}
      {accounts.length > 0 && (
        <Table label={TEXTS.label} columns={columns} rows={accounts} rowKey={({ id }) => id} onRowClick={setOpened} />
      )}
      {isMaking && (
        <ServiceAccountForm
          onClose={() => setIsMaking(false)}
          onMade={(account) => {
            setIsMaking(false);
            setOpened(account);
          }}
        />
      )}
      {opened !== undefined && (
        <TrustsDialog account={opened} mayChange={mayChange} onClose={() => setOpened(undefined)} />
      )}
      {leaving !== undefined && (
        <ConfirmDialog
          open
          onOpenChange={() => setLeaving(undefined)}
          title={TEXTS.removeTitle(leaving.name)}
          confirmLabel={TEXTS.remove}
          danger
          onConfirm={async () => {
            await api.call("DELETE /v1/service-accounts/{id}", { params: { id: leaving.id } });
            await queries.invalidateQueries({ queryKey: serviceAccountsQuery.queryKey });
            toast({ title: TEXTS.removed });
          }}
        >
          {TEXTS.removeText}
        </ConfirmDialog>
      )}
    </Section>
  );
}

function columnsOf(onRemove: ((account: ServiceAccount) => void) | undefined): readonly Column<ServiceAccount>[] {
  return [
    { id: "name", header: TEXTS.name, cell: ({ name }) => name },
    {
      id: "id",
      header: TEXTS.id,
      wideOnly: true,
      cell: ({ id }) => (
        <span className="flex items-center gap-1">
          <code className="text-sm text-muted">{id}</code>
          <CopyButton text={id} label={TEXTS.id} iconOnly />
        </span>
      ),
    },
    {
      id: "scopes",
      header: TEXTS.scopes,
      cell: ({ scopes }) => (
        <span className="flex flex-wrap gap-1">
          {scopes.map((scope) => (
            <Badge key={scope}>{texts.keys.scopes[scope].label}</Badge>
          ))}
        </span>
      ),
    },
    { id: "made", header: TEXTS.made, wideOnly: true, cell: (account) => <Time at={account.created_at} form="date" /> },
    ...(onRemove === undefined
      ? []
      : [
          {
            id: "remove",
            header: TEXTS.remove,
            align: "right" as const,
            hideHeader: true,
            cell: (account: ServiceAccount) => (
              <Button size="sm" onClick={() => onRemove(account)}>
                {TEXTS.remove}
              </Button>
            ),
          },
        ]),
  ];
}
