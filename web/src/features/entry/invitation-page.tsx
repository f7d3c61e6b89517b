import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation, useRouter } from "@tanstack/react-router";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { logOut } from "../../api/session.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { EntryPage } from "../../ui/entry-page.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { InvitationForm, type Newcomer } from "./invitation-form.tsx";

/** Where an invitation's link leads: what it is for, and the way in. */
export function InvitationPage() {
  // The token stands behind the hash, which no server gets to see.
  const token = useLocation({ select: ({ hash }) => hash });
  return token === "" ? <DeadLink /> : <Invitation key={token} token={token} />;
}

function Invitation({ token }: { readonly token: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["invitation", token],
    queryFn: ({ signal }) => api.call("POST /v1/auth/invitation", { signal, body: { token } }),
  });
  if (data !== undefined) return <Answer token={token} invitation={data} />;
  if (error instanceof ApiError && error.status === 404) return <DeadLink />;
  return (
    <EntryPage title="Invitation">
      {error === null ? (
        <SkeletonRows rows={2} label="The invitation is loading" />
      ) : (
        <ErrorState error={error} onRetry={refetch} />
      )}
    </EntryPage>
  );
}

interface AnswerProps {
  readonly token: string;
  readonly invitation: AnswerOf<"POST /v1/auth/invitation">;
}

function Answer({ token, invitation }: AnswerProps) {
  const { organisation, role, email, has_account, invited_by } = invitation;
  const queries = useQueryClient();
  const router = useRouter();
  const accept = useMutation({
    mutationFn: (newcomer: Newcomer | undefined) =>
      api.call("POST /v1/auth/accept-invitation", { body: { token, ...newcomer } }),
    onSuccess: async (answer) => {
      if (answer.log_in) return;
      queries.clear();
      await router.navigate({ to: "/" });
      toast({ title: `You are now a member of ${organisation}.` });
    },
  });
  const mustLogIn = accept.data?.log_in === true;
  const isOther = accept.error instanceof ApiError && accept.error.type === "conflict" && has_account;
  return (
    <EntryPage
      title={`Join ${organisation}`}
      description={
        <>
          {invited_by ?? "Somebody"} invites{" "}
          <span className="font-medium wrap-anywhere text-text">{email}</span> to join as {role}.
        </>
      }
    >
      {has_account ? (
        <>
          {mustLogIn && (
            <Banner tone="info">There is an account with this address. Log in to it, then accept.</Banner>
          )}
          {accept.error !== null && <Banner tone="danger">{accept.error.message}</Banner>}
          {mustLogIn ? (
            <Link
              to="/log-in"
              search={{ next: `/invitation#${token}` }}
              className={buttonClass("primary", "lg")}
            >
              Log in
            </Link>
          ) : (
            <Button
              variant="primary"
              size="lg"
              loading={accept.isPending}
              onClick={() => accept.mutate(undefined)}
            >
              Accept
            </Button>
          )}
          {isOther && (
            <Button size="lg" onClick={() => void logOut().then(() => accept.mutate(undefined))}>
              Log out and go on
            </Button>
          )}
        </>
      ) : (
        <InvitationForm
          email={email}
          error={accept.error}
          isPending={accept.isPending}
          onSubmit={(newcomer) => accept.mutate(newcomer)}
        />
      )}
    </EntryPage>
  );
}

function DeadLink() {
  return (
    <EntryPage
      title="This invitation does not hold"
      description="It was used, taken back, or is older than 7 days. Ask whoever invited you for a new one."
    >
      <Link to="/" className={buttonClass("secondary", "lg")}>
        Go to the dashboard
      </Link>
    </EntryPage>
  );
}
