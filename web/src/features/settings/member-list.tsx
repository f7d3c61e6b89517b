import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { ShieldCheck, UserMinus } from "lucide-react";
import { useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { formatNumber } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Select } from "../../ui/select.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { useMediaQuery } from "../../ui/use-media-query.ts";
import { membersQuery, readPeopleAnew } from "./member-queries.ts";
import { RemoveMemberDialog } from "./remove-member-dialog.tsx";
import { labelOfRole, type Member, ROLES, type Role, rolesGivenBy } from "./roles.ts";

const TEXTS = texts.members;

type Asked = { readonly member: Member; readonly role: Role | undefined };

/** The members as a table. Who may, changes roles and removes members in it. */
export function MemberList() {
  const { person, account } = useSession();
  const mayChange = usePermission("members.change");
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(membersQuery);
  const [asked, setAsked] = useState<Asked>();
  const isWide = useMediaQuery("(min-width: 640px)");
  const columns = useMemo(
    () => columnsFor({ ownId: person.id, ownRole: account.role, mayChange, isWide, ask: setAsked }),
    [person.id, account.role, mayChange, isWide],
  );
  if (data === undefined) {
    return error === null ? <SkeletonRows label={TEXTS.loading} /> : <ErrorState error={error} onRetry={refetch} />;
  }
  const members = data.pages.flatMap((page) => page.data);
  return (
    <>
      <Table
        label={TEXTS.label}
        columns={columns}
        rows={members}
        rowKey={({ id }) => id}
        initialSort={{ id: "role" }}
      />
      {(hasNextPage || members.length > 20) && (
        <LoadMore
          hasMore={hasNextPage}
          loading={isFetchingNextPage}
          onMore={fetchNextPage}
          count={TEXTS.count(members.length)}
        />
      )}
      {asked?.role !== undefined && (
        <ChangeRoleDialog
          member={asked.member}
          role={asked.role}
          isOwn={asked.member.id === person.id}
          onClose={() => setAsked(undefined)}
        />
      )}
      {asked !== undefined && asked.role === undefined && (
        <RemoveMemberDialog member={asked.member} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

interface Seat {
  readonly ownId: string;
  readonly ownRole: string;
  readonly mayChange: boolean;
  readonly isWide: boolean;
  readonly ask: (asked: Asked) => void;
}

function columnsFor({ ownId, ownRole, mayChange, isWide, ask }: Seat): readonly Column<Member>[] {
  const mayGovern = (member: Member) => mayChange && (member.role !== "owner" || ownRole === "owner");
  const roleCell = (member: Member) =>
    mayGovern(member) ? (
      <Select
        label={TEXTS.roleOf(member.name)}
        className="w-32"
        value={member.role}
        options={rolesGivenBy(ownRole)}
        onValueChange={(role) => ask({ member, role })}
      />
    ) : (
      labelOfRole(member.role)
    );
  return [
    {
      id: "name",
      header: TEXTS.name,
      sortBy: ({ name }) => name,
      className: "min-w-44",
      cell: (member) => (
        <span className="grid">
          <span className="flex items-center gap-2 font-medium">
            <span className="wrap-anywhere">{member.name}</span>
            {member.id === ownId && <Badge tone="accent">{TEXTS.you}</Badge>}
          </span>
          <span className="text-sm wrap-anywhere text-muted">{member.email}</span>
          {!isWide && <span className="mt-1.5 mb-0.5">{roleCell(member)}</span>}
        </span>
      ),
    },
    {
      id: "role",
      header: TEXTS.role,
      sortBy: ({ role }) => ROLES.findIndex(({ value }) => value === role),
      wideOnly: true,
      cell: roleCell,
    },
    {
      id: "two-factor",
      header: TEXTS.twoFactor,
      wideOnly: true,
      sortBy: (member) => member.two_factor,
      cell: (member) =>
        member.two_factor ? (
          <Badge tone="positive">
            <span className="flex items-center gap-1">
              <ShieldCheck aria-hidden="true" className="size-3" /> {TEXTS.on}
            </span>
          </Badge>
        ) : (
          <span className="text-muted">{TEXTS.off}</span>
        ),
    },
    {
      id: "keys",
      header: TEXTS.keys,
      align: "right",
      wideOnly: true,
      sortBy: ({ keys }) => keys,
      cell: ({ keys }) => formatNumber(keys),
    },
    {
      id: "seen",
      header: TEXTS.lastSeen,
      wideOnly: true,
      sortBy: (member) => member.last_seen_at,
      cell: (member) =>
        member.last_seen_at === null ? (
          <span className="text-muted">{TEXTS.never}</span>
        ) : (
          <Time at={member.last_seen_at} />
        ),
    },
    {
      id: "joined",
      header: TEXTS.joined,
      wideOnly: true,
      sortBy: (member) => member.joined_at,
      cell: (member) => <Time at={member.joined_at} form="date" />,
    },
    ...(mayChange
      ? [
          {
            id: "actions",
            header: TEXTS.actions,
            hideHeader: true,
            align: "right" as const,
            cell: (member: Member) =>
              mayGovern(member) &&
              member.id !== ownId && (
                <IconButton
                  label={TEXTS.removeOf(member.name)}
                  size="sm"
                  icon={<UserMinus aria-hidden="true" />}
                  onClick={() => ask({ member, role: undefined })}
                />
              ),
          },
        ]
      : []),
  ];
}

interface ChangeRoleDialogProps {
  readonly member: Member;
  readonly role: Role;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

/** Asks before a role changes, and says what the new one may. */
function ChangeRoleDialog({ member, role, isOwn, onClose }: ChangeRoleDialogProps) {
  const queries = useQueryClient();
  const label = labelOfRole(role);
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={isOwn ? TEXTS.change.own : TEXTS.change.title(member.name)}
      confirmLabel={TEXTS.change.confirm}
      danger={isOwn}
      onConfirm={async () => {
        await api.call("PATCH /v1/members/{id}", { params: { id: member.id }, body: { role } });
        await readPeopleAnew(queries);
        toast({ title: TEXTS.change.done(member.name, label) });
      }}
    >
      <p>
        <Sentence
          text={TEXTS.change.from}
          parts={{ old: labelOfRole(member.role), new: <strong className="text-text">{label}</strong> }}
        />{" "}
        {ROLES.find(({ value }) => value === role)?.description}
      </p>
      <p className="mt-2">{isOwn ? TEXTS.change.ownText : TEXTS.change.text}</p>
    </ConfirmDialog>
  );
}
