import { useInfiniteQuery } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { InvitationList } from "./invitation-list.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MemberList } from "./member-list.tsx";
import { invitationsQuery, membersQuery } from "./member-queries.ts";
import { ROLES } from "./roles.ts";

const TEXTS = texts.members;

/** The tab Members: who belongs to the organisation, who is invited, and what the roles are. */
export function MembersSettings() {
  useDocumentTitle(TEXTS.title);
  const mayChange = usePermission("members.change");
  const [isInviting, setIsInviting] = useState(false);
  // Both at once: what comes later would move what is there.
  const isPending = [useInfiniteQuery(membersQuery).isPending, useInfiniteQuery(invitationsQuery).isPending].includes(
    true,
  );
  return (
    <div className="grid gap-8">
      <Section
        title={TEXTS.title}
        description={mayChange ? TEXTS.description : TEXTS.readOnly}
        actions={
          mayChange && (
            <Button variant="primary" icon={<UserPlus aria-hidden="true" />} onClick={() => setIsInviting(true)}>
              {TEXTS.invite}
            </Button>
          )
        }
      >
        {isPending ? <SkeletonRows label={TEXTS.loading} /> : <MemberList />}
      </Section>
      {!isPending && (
        <>
          <InvitationList />
          <Roles />
        </>
      )}
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </div>
  );
}

function Roles() {
  return (
    <Section title={TEXTS.roles.title} description={TEXTS.roles.description}>
      <dl className="grid divide-y divide-line rounded-lg border border-line bg-surface px-4 sm:px-5">
        {ROLES.map(({ value, label, description }) => (
          <div key={value} className="grid gap-x-4 py-2.5 sm:grid-cols-[8rem_1fr]">
            <dt className="font-medium">{label}</dt>
            <dd className="text-muted">{description}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
