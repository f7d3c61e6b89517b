import { Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { Receivers } from "./receivers.tsx";
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
  return (
    <Receivers
      words={TEXTS}
      icon={<WebhookIcon />}
      most={MOST}
      query={webhooksQuery}
      form={(_webhook, onClose) => <WebhookForm webhook={undefined} onClose={onClose} />}
    >
      {(webhooks) => <WebhookTable webhooks={webhooks} />}
    </Receivers>
  );
}

function WebhookTable({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  const [openId, setOpenId] = useState<string>();
  const opened = webhooks.find(({ id }) => id === openId);
  return (
    <>
      <Table
        label={TEXTS.label}
        columns={COLUMNS}
        rows={webhooks}
        rowKey={({ id }) => id}
        selectedKey={openId}
        onRowClick={({ id }) => setOpenId(id)}
      />
      {opened !== undefined && <WebhookSheet webhook={opened} onClose={() => setOpenId(undefined)} />}
    </>
  );
}
