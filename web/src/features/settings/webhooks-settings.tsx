import { useQuery } from "@tanstack/react-query";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { NeedsRole } from "./needs-role.tsx";
import { WebhookForm } from "./webhook-form.tsx";
import { type Webhook, webhooksQuery } from "./webhook-queries.ts";
import { WebhookSheet } from "./webhook-sheet.tsx";
import { hostOf, standingOf } from "./webhook-words.ts";

const TEXTS = texts.webhooks;

const MOST = 10;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    id: "url",
    header: TEXTS.webhook,
    className: "min-w-40",
    cell: ({ url, description }) => (
      <span className="grid">
        <span className="wrap-anywhere">{description === "" ? hostOf(url) : description}</span>
        {description !== "" && <span className="text-sm font-normal text-muted">{hostOf(url)}</span>}
      </span>
    ),
  },
  {
    id: "state",
    header: TEXTS.state,
    cell: (webhook) => {
      const { tone, label } = standingOf(webhook);
      return (
        <Badge tone={tone} dot>
          {label}
        </Badge>
      );
    },
  },
  {
    id: "events",
    header: TEXTS.events,
    wideOnly: true,
    cell: ({ events }) => (events === null ? TEXTS.allEvents : events.join(", ")),
  },
  {
    id: "made",
    header: TEXTS.added,
    wideOnly: true,
    cell: (webhook) => <Time at={webhook.created_at} form="date" />,
  },
];

/** The tab Webhooks: the organisation's addresses for events. */
export function WebhooksSettings() {
  useDocumentTitle(TEXTS.title);
  return usePermission("webhooks.read") ? <Webhooks /> : <NeedsRole>{TEXTS.forbidden}</NeedsRole>;
}

function Webhooks() {
  const mayChange = usePermission("webhooks.change");
  const [isAdding, setIsAdding] = useState(false);
  const [openId, setOpenId] = useState<string>();
  const { data, error, refetch } = useQuery(webhooksQuery);
  const webhooks = data?.data ?? [];
  const isFull = webhooks.length >= MOST;
  const opened = webhooks.find(({ id }) => id === openId);
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
      description={isFull ? TEXTS.full(MOST) : TEXTS.description}
      actions={webhooks.length > 0 && add}
    >
      {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={3} label={TEXTS.loading} />}
      {data !== undefined && webhooks.length === 0 && (
        <EmptyState icon={<WebhookIcon />} title={TEXTS.empty} action={add}>
          {TEXTS.emptyText}
        </EmptyState>
      )}
      {webhooks.length > 0 && (
        <Table
          label={TEXTS.label}
          columns={COLUMNS}
          rows={webhooks}
          rowKey={({ id }) => id}
          selectedKey={openId}
          onRowClick={({ id }) => setOpenId(id)}
        />
      )}
      {isAdding && <WebhookForm webhook={undefined} onClose={() => setIsAdding(false)} />}
      {opened !== undefined && <WebhookSheet webhook={opened} onClose={() => setOpenId(undefined)} />}
    </Section>
  );
}
