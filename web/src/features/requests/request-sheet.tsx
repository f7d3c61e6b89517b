import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ApiError } from "@trunkline/sdk";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import { api } from "../../api/client.ts";
import { requestQuery } from "../../api/request.ts";
import { texts } from "../../texts/texts.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { RequestDetailView } from "./request-detail-view.tsx";
import { filtersOf, type RequestSearch } from "./request-search.ts";
import { useFeedRows } from "./use-request-feed.ts";

const TEXTS = texts.requestDetail;

/** One request in full, at an address of its own. `j` and `k` go to the ones beside it. */
export function RequestSheet() {
  const { id } = useParams({ from: "/shell/requests/$id" });
  const search = useSearch({ from: "/shell/requests" });
  const navigate = useNavigate();
  const rows = useFeedRows();
  useDocumentTitle(TEXTS.title);
  const { data, error, refetch } = useQuery(requestQuery(id));

  const place = rows.findIndex((row) => row.id === id);
  const beside = (step: 1 | -1) => (place === -1 ? undefined : rows[place + step]?.id);

  /** One that the list does not hold is asked for: a link may lead to any. */
  async function go(step: 1 | -1) {
    const known = beside(step);
    const next = known ?? (place === -1 || step === 1 ? await findBeside(id, step, search) : undefined);
    if (next !== undefined) void navigate({ to: "/requests/$id", params: { id: next }, search, replace: true });
  }

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select") !== null) return;
    if (event.key === "j") void go(1);
    else if (event.key === "k") void go(-1);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);

  const isUnknown = error instanceof ApiError && error.status === 404;
  return (
    <Sheet
      open
      width="xl"
      title={TEXTS.title}
      description={
        <span className="flex min-w-0 items-center gap-1">
          <code className="truncate text-sm">{id}</code>
          <CopyButton text={id} label={TEXTS.copyId} iconOnly />
          <IconButton
            size="sm"
            label={TEXTS.newer}
            icon={<ChevronUp aria-hidden="true" />}
            onClick={() => void go(-1)}
          />
          <IconButton
            size="sm"
            label={TEXTS.older}
            icon={<ChevronDown aria-hidden="true" />}
            onClick={() => void go(1)}
          />
        </span>
      }
      onOpenChange={(open) => {
        if (!open) void navigate({ to: "/requests", search });
      }}
    >
      {data !== undefined ? (
        <RequestDetailView detail={data} />
      ) : isUnknown ? (
        <EmptyState title={TEXTS.unknown}>{TEXTS.unknownText}</EmptyState>
      ) : error !== null ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : (
        <div role="status" aria-busy="true" className="grid gap-4">
          <span className="sr-only">{TEXTS.loading}</span>
          <Skeleton className="h-20" />
          <Skeleton className="h-56" />
          <Skeleton className="h-40" />
        </div>
      )}
    </Sheet>
  );
}

async function findBeside(id: string, step: 1 | -1, search: RequestSearch): Promise<string | undefined> {
  const cursor = step === 1 ? id : `newer:${id}`;
  const { data } = await api.call("GET /v1/requests", { query: { ...filtersOf(search), cursor, limit: 1 } });
  return data[0]?.id;
}
