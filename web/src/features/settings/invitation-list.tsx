import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { MailX, Send } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { LinkDialog } from "./link-dialog.tsx";
import { invitationsQuery, readPeopleAnew } from "./member-queries.ts";
import { type Invitation, labelOfRole } from "./roles.ts";

const TEXTS = texts.members.invitations;

interface Asked {
  readonly invitation: Invitation;
  readonly what: "resend" | "revoke";
}

/** The pending invitations. Those who may invite can send one again or withdraw it. */
export function InvitationList() {
  const queries = useQueryClient();
  const { account, features } = useSession();
  const mayChange = usePermission("members.change");
  const [asked, setAsked] = useState<Asked>();
  const [made, setMade] = useState<{ readonly email: string; readonly link: string }>();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(invitationsQuery);
  const columns = useMemo(
    () => columnsFor({ ownRole: account.role, mayChange, sendsMail: features.mail, ask: setAsked }),
    [account.role, mayChange, features.mail],
  );
  const invitations = data?.pages.flatMap((page) => page.data) ?? [];

  async function resend({ id }: Invitation) {
    const { email, link } = await api.call("POST /v1/invitations/{id}/resend", { params: { id } });
    await readPeopleAnew(queries);
    if (link === undefined) toast({ title: TEXTS.resent(email) });
    else setMade({ email, link });
  }

  async function revoke({ id, email }: Invitation) {
    await api.call("DELETE /v1/invitations/{id}", { params: { id } });
    await readPeopleAnew(queries);
    toast({ title: TEXTS.revoked(email) });
  }

  return (
    <Section title={TEXTS.title} description={TEXTS.description}>
      {data === undefined && error !== null && <ErrorState error={error} onRetry={refetch} />}
      {data === undefined && error === null && <SkeletonRows rows={2} label={TEXTS.loading} />}
      {data !== undefined && invitations.length === 0 && (
        <p className="rounded-lg border border-dashed border-line-strong bg-surface px-4 py-5 text-muted">
          {TEXTS.none}
        </p>
      )}
      {invitations.length > 0 && (
        <Table label={TEXTS.label} columns={columns} rows={invitations} rowKey={({ id }) => id} />
      )}
      {hasNextPage && (
        <LoadMore hasMore loading={isFetchingNextPage} onMore={fetchNextPage} count={TEXTS.count(invitations.length)} />
      )}
      {asked !== undefined && (
        <ConfirmDialog
          open
          onOpenChange={() => setAsked(undefined)}
          title={asked.what === "resend" ? TEXTS.resendTitle : TEXTS.revokeTitle}
          confirmLabel={asked.what === "revoke" ? TEXTS.revoke : features.mail ? TEXTS.resend : TEXTS.newLink}
          danger={asked.what === "revoke"}
          onConfirm={() => (asked.what === "resend" ? resend(asked.invitation) : revoke(asked.invitation))}
        >
          <Sentence
            text={asked.what === "resend" ? TEXTS.resendText : TEXTS.revokeText}
            parts={{ email: <span className="wrap-anywhere">{asked.invitation.email}</span> }}
          />
        </ConfirmDialog>
      )}
      {made !== undefined && <LinkDialog {...made} onClose={() => setMade(undefined)} />}
    </Section>
  );
}

function Lasting({ invitation }: { readonly invitation: Invitation }) {
  return invitation.state === "expired" ? (
    <Badge tone="warning">{TEXTS.expired}</Badge>
  ) : (
    <Time at={invitation.expires_at} form="date" />
  );
}

interface Seat {
  readonly ownRole: string;
  readonly mayChange: boolean;
  readonly sendsMail: boolean;
  readonly ask: (asked: Asked) => void;
}

function columnsFor({ ownRole, mayChange, sendsMail, ask }: Seat): readonly Column<Invitation>[] {
  const again = sendsMail ? TEXTS.resendTo : TEXTS.newLinkFor;
  return [
    {
      id: "email",
      header: TEXTS.email,
      className: "min-w-40",
      cell: (invitation) => (
        <span className="grid">
          <span className="font-medium wrap-anywhere">{invitation.email}</span>
          <span className="text-sm text-muted sm:hidden">
            {labelOfRole(invitation.role)} · <Lasting invitation={invitation} />
          </span>
        </span>
      ),
    },
    { id: "role", header: texts.members.role, wideOnly: true, cell: ({ role }) => labelOfRole(role) },
    {
      id: "state",
      header: TEXTS.expires,
      wideOnly: true,
      cell: (invitation) => <Lasting invitation={invitation} />,
    },
    {
      id: "by",
      header: TEXTS.by,
      wideOnly: true,
      className: "whitespace-nowrap",
      cell: (invitation) => invitation.invited_by?.name ?? <span className="text-muted">{TEXTS.byGone}</span>,
    },
    {
      id: "sent",
      header: TEXTS.sent,
      wideOnly: true,
      cell: (invitation) => <Time at={invitation.sent_at} />,
    },
    ...(mayChange
      ? [
          {
            id: "actions",
            header: texts.members.actions,
            hideHeader: true,
            align: "right" as const,
            cell: (invitation: Invitation) =>
              (invitation.role !== "owner" || ownRole === "owner") && (
                <span className="inline-flex">
                  <IconButton
                    label={again(invitation.email)}
                    size="sm"
                    icon={<Send aria-hidden="true" />}
                    onClick={() => ask({ invitation, what: "resend" })}
                  />
                  <IconButton
                    label={TEXTS.revokeOf(invitation.email)}
                    size="sm"
                    icon={<MailX aria-hidden="true" />}
                    onClick={() => ask({ invitation, what: "revoke" })}
                  />
                </span>
              ),
          },
        ]
      : []),
  ];
}
