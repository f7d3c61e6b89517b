import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { AnswerOf } from "@trunkline/sdk";
import { Monitor, Smartphone } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { describeAgent } from "./describe-agent.ts";

const TEXTS = texts.settings.security;

type OpenSession = AnswerOf<"GET /v1/me/sessions">["data"][number];

export const sessionsQuery = infiniteQueryOptions({
  queryKey: ["me", "sessions"],
  queryFn: ({ signal, pageParam }) =>
    api.call("GET /v1/me/sessions", { signal, query: pageParam === "" ? {} : { cursor: pageParam } }),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor,
});

/** Where one is logged in. */
export function SessionSection() {
  const router = useRouter();
  const queries = useQueryClient();
  const [isLeaving, setIsLeaving] = useState(false);
  const sessions = useInfiniteQuery(sessionsQuery);
  const rows = sessions.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <Section
      title={TEXTS.sessions}
      description={TEXTS.sessionsText}
      actions={<Button onClick={() => setIsLeaving(true)}>{TEXTS.logOutEverywhere}</Button>}
    >
      {sessions.isPending && <SkeletonRows rows={2} label={TEXTS.sessionsLoading} />}
      {sessions.isError && <ErrorState error={sessions.error} onRetry={sessions.refetch} />}
      {rows.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {rows.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      {sessions.hasNextPage && (
        <LoadMore
          hasMore={sessions.hasNextPage}
          loading={sessions.isFetchingNextPage}
          onMore={() => void sessions.fetchNextPage()}
          count={TEXTS.sessionCount(rows.length)}
        />
      )}
      <ConfirmDialog
        open={isLeaving}
        onOpenChange={setIsLeaving}
        title={TEXTS.logOutEverywhereTitle}
        confirmLabel={TEXTS.logOutEverywhere}
        danger
        onConfirm={async () => {
          await api.call("DELETE /v1/me/sessions");
          queries.clear();
          await router.navigate({ to: "/log-in" });
        }}
      >
        {TEXTS.logOutEverywhereText}
      </ConfirmDialog>
    </Section>
  );
}

function SessionRow({ session }: { readonly session: OpenSession }) {
  const queries = useQueryClient();
  const name = describeAgent(session.agent);
  const end = useMutation({
    mutationFn: () => api.call("DELETE /v1/me/sessions/{id}", { params: { id: session.id } }),
    onSuccess: () => toast({ title: TEXTS.loggedOut(name) }),
    onError: (error) => toast({ tone: "danger", title: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["me", "sessions"] }),
  });
  const Icon = /Android|iPhone|iPad/.test(session.agent) ? Smartphone : Monitor;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <div className="min-w-0 grow basis-48">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{name}</span>
          {session.current && <Badge tone="accent">{TEXTS.thisSession}</Badge>}
        </p>
        <p className="text-sm text-muted">
          <Sentence
            text={TEXTS.sessionText}
            parts={{
              address: <span className="font-mono text-xs">{session.address}</span>,
              organisation: session.organisation,
              time: <Time at={session.last_seen_at} />,
            }}
          />
        </p>
      </div>
      {!session.current && (
        <Button size="sm" loading={end.isPending} aria-label={TEXTS.logOutOf(name)} onClick={() => end.mutate()}>
          {TEXTS.logOut}
        </Button>
      )}
    </li>
  );
}
