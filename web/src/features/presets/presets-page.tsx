import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Layers, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Page } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import type { Preset } from "./preset-draft.ts";
import { PresetForm } from "./preset-form.tsx";
import { presetsQuery } from "./preset-queries.ts";

const TEXTS = texts.presets;

/** Names of the account's own that applications send as the model, and what they stand for. */
export function PresetsPage() {
  const mayChange = usePermission("routing.change");
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(presetsQuery);
  const [isMaking, setIsMaking] = useState(false);
  const [opened, setOpened] = useState<Preset>();
  const [leaving, setLeaving] = useState<Preset>();
  const columns = useMemo(() => columnsOf(mayChange ? setLeaving : undefined), [mayChange]);
  const presets = data?.data ?? [];
  const create = mayChange && (
    <Button variant="primary" icon={<Plus aria-hidden="true" />} onClick={() => setIsMaking(true)}>
      {TEXTS.form.create}
    </Button>
  );
  return (
    <Page title={TEXTS.title} description={TEXTS.description} actions={presets.length > 0 && create}>
      {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={3} label={TEXTS.loading} />}
      {data !== undefined && presets.length === 0 && (
        <EmptyState icon={<Layers />} title={TEXTS.empty} action={create}>
          {TEXTS.emptyText}
        </EmptyState>
      )}
      {presets.length > 0 && (
        <Table
          label={TEXTS.title}
          columns={columns}
          rows={presets}
          rowKey={({ name }) => name}
          {...(mayChange ? { onRowClick: setOpened } : {})}
        />
      )}
      {(isMaking || opened !== undefined) && (
        <PresetForm
          preset={opened}
          taken={presets.map(({ name }) => name)}
          onClose={() => {
            setIsMaking(false);
            setOpened(undefined);
          }}
        />
      )}
      {leaving !== undefined && (
        <ConfirmDialog
          open
          onOpenChange={() => setLeaving(undefined)}
          title={TEXTS.removeTitle(leaving.name)}
          confirmLabel={TEXTS.remove}
          danger
          onConfirm={async () => {
            await api.call("DELETE /v1/presets/{name}", { params: { name: leaving.name } });
            await queries.invalidateQueries({ queryKey: presetsQuery.queryKey });
            toast({ title: TEXTS.removed });
          }}
        >
          {TEXTS.removeText}
        </ConfirmDialog>
      )}
    </Page>
  );
}

function columnsOf(onRemove: ((preset: Preset) => void) | undefined): readonly Column<Preset>[] {
  return [
    {
      id: "name",
      header: TEXTS.name,
      cell: ({ name }) => <code className="text-sm">{name}</code>,
      sortBy: ({ name }) => name,
    },
    {
      id: "models",
      header: TEXTS.models,
      cell: ({ models, route }) => (
        <span className="wrap-anywhere">
          {models?.join(" → ") ?? (route === undefined ? TEXTS.automatic : texts.routing.page.strategies[route].name)}
        </span>
      ),
    },
    {
      id: "description",
      header: TEXTS.form.description,
      wideOnly: true,
      cell: ({ description }) => <span className="text-muted wrap-anywhere">{description}</span>,
    },
    {
      id: "actions",
      header: TEXTS.actions,
      align: "right",
      hideHeader: true,
      cell: (preset) => (
        <span className="flex items-center justify-end gap-2">
          <CopyButton text={preset.name} label={TEXTS.copyName(preset.name)} iconOnly />
          <Link
            to="/playground"
            search={{ model: preset.name }}
            aria-label={TEXTS.tryName(preset.name)}
            className={buttonClass("secondary", "sm")}
          >
            {TEXTS.try}
          </Link>
          {onRemove !== undefined && (
            <Button size="sm" aria-label={TEXTS.removeName(preset.name)} onClick={() => onRemove(preset)}>
              {TEXTS.remove}
            </Button>
          )}
        </span>
      ),
    },
  ];
}
