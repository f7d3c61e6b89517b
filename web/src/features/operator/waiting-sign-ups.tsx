import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Link2, UserCheck, X } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { usePermission, useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";

type SignUp = AnswerOf<"GET /v1/admin/sign-ups">["data"][number];

const TEXTS = texts.signUps;
const KEY = ["operator", "sign-ups"];
const LOOK_EVERY_MS = 10_000;

/** People who signed up and wait. */
export const signUpsQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => api.call("GET /v1/admin/sign-ups", { signal, query: { limit: 100 } }),
  refetchInterval: LOOK_EVERY_MS,
});

/** People who signed up and wait; nothing where nobody does. */
export function WaitingSignUps() {
  const { features } = useSession();
  const { data } = useQuery(signUpsQuery);
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Section
      title={TEXTS.title}
      description={
        <>
          {TEXTS.description} {!features.mail && TEXTS.noMail}
        </>
      }
    >
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {data.data.map((signUp) => (
          <SignUpRow key={signUp.id} signUp={signUp} />
        ))}
      </ul>
    </Section>
  );
}

function SignUpRow({ signUp }: { readonly signUp: SignUp }) {
  const { id, email, name, organisation, created_at: createdAt } = signUp;
  const mayChange = usePermission("operator.change");
  const queries = useQueryClient();
  const [link, setLink] = useState<string>();
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: KEY });
    void queries.invalidateQueries({ queryKey: ["operator", "accounts"] });
  };
  const onError = (error: Error) => {
    toast({ tone: "danger", title: error.message });
    refresh();
  };
  const approve = useMutation({
    mutationFn: () => api.call("POST /v1/admin/sign-ups/{id}/approve", { params: { id } }),
    onSuccess: () => {
      toast({ tone: "positive", title: TEXTS.approved(email), description: TEXTS.approvedText });
      refresh();
    },
    onError,
  });
  const decline = useMutation({
    mutationFn: () => api.call("DELETE /v1/admin/sign-ups/{id}", { params: { id } }),
    onSuccess: () => {
      toast({ title: TEXTS.declined(email) });
      refresh();
    },
    onError,
  });
  const makeLink = useMutation({
    mutationFn: () => api.call("POST /v1/admin/sign-ups/{id}/link", { params: { id } }),
    onSuccess: (made) => setLink(made.link),
    onError,
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <span className="min-w-0 grow basis-56">
        <span className="block font-medium wrap-anywhere">{name}</span>
        <span className="block text-sm wrap-anywhere text-muted">
          {email}
          {organisation !== null && ` · ${organisation}`} · <Time at={createdAt} />
        </span>
      </span>
      {mayChange && (
        <span className="flex items-center gap-2">
          <Button
            size="sm"
            variant="primary"
            aria-label={TEXTS.approveFor(email)}
            icon={<UserCheck aria-hidden="true" />}
            loading={approve.isPending}
            onClick={() => approve.mutate()}
          >
            {TEXTS.approve}
          </Button>
          <Button
            size="sm"
            aria-label={TEXTS.copyLinkFor(email)}
            icon={<Link2 aria-hidden="true" />}
            loading={makeLink.isPending}
            onClick={() => makeLink.mutate()}
          >
            {TEXTS.copyLink}
          </Button>
          <IconButton
            size="sm"
            label={TEXTS.declineFor(email)}
            icon={<X aria-hidden="true" />}
            disabled={decline.isPending}
            onClick={() => decline.mutate()}
          />
        </span>
      )}
      {link !== undefined && (
        <Dialog
          open
          sticky
          onOpenChange={() => setLink(undefined)}
          title={TEXTS.linkTitle}
          description={TEXTS.linkText(email)}
          footer={
            <Button variant="primary" onClick={() => setLink(undefined)}>
              {TEXTS.done}
            </Button>
          }
        >
          <SecretOnce label={TEXTS.link} secret={link} />
        </Dialog>
      )}
    </li>
  );
}
