import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { logOut, sessionQuery } from "../../api/session.ts";
import { errorBeside, isRefusal } from "../../api/sign-in.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { DeadLink } from "./dead-link.tsx";
import { InvitationForm, type Newcomer } from "./invitation-form.tsx";
import { useContinueAfterLogIn } from "./use-continue-after-log-in.ts";
import { useLinkToken } from "./use-link-token.ts";

const TEXTS = texts.entry.invitation;

/** Where an invitation's link leads: what it is for, and the way in. */
export function InvitationPage() {
  const token = useLinkToken();
  // After a log-out nothing cached is valid any more.
  const [round, setRound] = useState(0);
  if (token === "") return <VoidInvitation />;
  return <Invitation key={round} token={token} onLoggedOut={() => setRound(round + 1)} />;
}

interface InvitationProps {
  readonly token: string;
  readonly onLoggedOut: () => void;
}

function Invitation({ token, onLoggedOut }: InvitationProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["invitation", token],
    queryFn: ({ signal }) => api.call("POST /v1/auth/invitation", { signal, body: { token } }),
  });
  // An invited person may have no session: that is no error here.
  const session = useQuery({ ...sessionQuery, retry: false });
  if (data !== undefined && !session.isPending) {
    const loggedInAs = session.data?.person.email;
    return <Answer token={token} invitation={data} loggedInAs={loggedInAs} onLoggedOut={onLoggedOut} />;
  }
  if (isRefusal(error, "not_found")) return <VoidInvitation />;
  return (
    <EntryPage title={TEXTS.title}>
      {error === null ? (
        <SkeletonRows rows={2} label={TEXTS.loading} />
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
    </EntryPage>
  );
}

interface AnswerProps extends InvitationProps {
  readonly invitation: AnswerOf<"POST /v1/auth/invitation">;
  /** Whose session the browser has. */
  readonly loggedInAs: string | undefined;
}

function Answer({ token, invitation, loggedInAs, onLoggedOut }: AnswerProps) {
  const { organisation, role, email, has_account, invited_by } = invitation;
  const continueAfterLogIn = useContinueAfterLogIn();
  const accept = useMutation({
    mutationFn: (newcomer: Newcomer | undefined) =>
      api.call("POST /v1/auth/accept-invitation", { body: { token, ...newcomer } }),
    onSuccess: (answer) => {
      if (answer.log_in) return;
      continueAfterLogIn();
      toast({ title: TEXTS.joined(organisation) });
    },
  });
  const isOther = loggedInAs !== undefined && loggedInAs.toLowerCase() !== email.toLowerCase();
  const mustLogIn = accept.data?.log_in === true || (has_account && loggedInAs === undefined);
  const message = errorBeside(accept.error, []);
  return (
    <EntryPage
      title={TEXTS.join(organisation)}
      description={
        <Sentence
          text={TEXTS.invited[role]}
          parts={{
            name: invited_by ?? TEXTS.someone,
            email: <span className="font-medium wrap-anywhere text-text">{email}</span>,
          }}
        />
      }
    >
      {isOther ? (
        <OtherPerson loggedInAs={loggedInAs} email={email} onLoggedOut={onLoggedOut} />
      ) : mustLogIn ? (
        <>
          <p className="text-muted">{TEXTS.mustLogIn}</p>
          <Link to="/log-in" search={{ next: `/invitation#${token}` }} className={buttonClass("primary", "lg")}>
            {texts.entry.logIn}
          </Link>
        </>
      ) : loggedInAs !== undefined ? (
        <>
          {message !== undefined && <Banner tone="danger">{message}</Banner>}
          <Button variant="primary" size="lg" loading={accept.isPending} onClick={() => accept.mutate(undefined)}>
            {TEXTS.accept}
          </Button>
        </>
      ) : (
        <InvitationForm email={email} onSubmit={(newcomer) => accept.mutateAsync(newcomer)} />
      )}
    </EntryPage>
  );
}

interface OtherPersonProps {
  readonly loggedInAs: string;
  readonly email: string;
  readonly onLoggedOut: () => void;
}

/** If another person is logged in, they have to log out first. */
function OtherPerson({ loggedInAs, email, onLoggedOut }: OtherPersonProps) {
  const leave = useMutation({ mutationFn: logOut, onSuccess: onLoggedOut });
  const message = errorBeside(leave.error, []);
  return (
    <>
      <Banner tone="warning">
        <Sentence
          text={TEXTS.otherPerson}
          parts={{
            current: <span className="font-medium wrap-anywhere">{loggedInAs}</span>,
            email: <span className="font-medium wrap-anywhere">{email}</span>,
          }}
        />
      </Banner>
      {message !== undefined && <Banner tone="danger">{message}</Banner>}
      <Button variant="primary" size="lg" loading={leave.isPending} onClick={() => leave.mutate()}>
        {TEXTS.logOut}
      </Button>
    </>
  );
}

function VoidInvitation() {
  return (
    <DeadLink to="/log-in" label={texts.entry.logIn}>
      {TEXTS.dead}
    </DeadLink>
  );
}
