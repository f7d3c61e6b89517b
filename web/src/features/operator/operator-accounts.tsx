import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Building2, Plus, Search } from "lucide-react";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Money } from "../../ui/money.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Segmented } from "../../ui/segmented.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { AccountSheet } from "./account-sheet.tsx";
import { NewAccountDialog } from "./new-account-dialog.tsx";
import { creditRequestsQuery, WaitingCreditRequests } from "./waiting-credit-requests.tsx";
import { signUpsQuery, WaitingSignUps } from "./waiting-sign-ups.tsx";

const TEXTS = texts.operator.accounts;

type Account = AnswerOf<"GET /v1/admin/accounts">["data"][number];

const STATES = [
  { value: "all", label: TEXTS.all },
  { value: "active", label: TEXTS.active },
  { value: "suspended", label: TEXTS.suspended },
] as const;

const COLUMNS: readonly Column<Account>[] = [
  {
    id: "name",
    header: TEXTS.organisation,
    className: "min-w-36",
    cell: ({ name, operator, suspended, closed_at: closedAt }) => (
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium wrap-anywhere">{name}</span>
        {operator && <Badge tone="accent">{TEXTS.operator}</Badge>}
        {closedAt !== null && <Badge>{TEXTS.closed}</Badge>}
        {suspended && (
          <Badge tone="danger" dot>
            {TEXTS.suspended}
          </Badge>
        )}
      </span>
    ),
  },
  { id: "owner", header: TEXTS.owner, wideOnly: true, cell: ({ owner }) => owner ?? "—" },
  { id: "balance", header: TEXTS.balance, align: "right", cell: ({ balance }) => <Money credits={balance} /> },
  {
    id: "spend",
    header: TEXTS.spentDays,
    align: "right",
    wideOnly: true,
    cell: ({ last_30_days: { cost } }) => <Money credits={cost} />,
  },
  {
    id: "requests",
    header: TEXTS.requestsDays,
    align: "right",
    wideOnly: true,
    cell: ({ last_30_days: { requests } }) => formatNumber(requests),
  },
  { id: "members", header: TEXTS.members, align: "right", wideOnly: true, cell: ({ members }) => members },
  {
    id: "created",
    header: TEXTS.opened,
    align: "right",
    wideOnly: true,
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];

/** The tab Accounts: every organisation, to look at, fund, rename and suspend. */
export function OperatorAccounts() {
  useDocumentTitle(TEXTS.accounts);
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [state, setState] = useState<(typeof STATES)[number]["value"]>("all");
  const [openId, setOpenId] = useState<string>();
  const [isNew, setIsNew] = useState(false);
  const q = useDebounced(text.trim());
  const accounts = useInfiniteQuery({
    queryKey: ["operator", "accounts", q, state],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/admin/accounts", {
        signal,
        query: {
          limit: 50,
          ...(q === "" ? {} : { q }),
          ...(state === "all" ? {} : { state }),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
  const signUps = useQuery(signUpsQuery);
  const creditRequests = useQuery(creditRequestsQuery);
  const rows = accounts.data?.pages.flatMap(({ data }) => data) ?? [];
  const refresh = () => queries.invalidateQueries({ queryKey: ["operator", "accounts"] });
  // What is above the list comes with it, so that nothing moves.
  if (signUps.isPending || creditRequests.isPending) return <SkeletonRows label={texts.signUps.loading} rows={8} />;
  return (
    <div className="grid gap-4">
      <WaitingSignUps />
      <WaitingCreditRequests />
      <div className="flex flex-wrap items-end gap-3">
        <Field label={TEXTS.findAnOrganisation} hideLabel className="w-full sm:w-80">
          <Input
            type="search"
            placeholder={TEXTS.nameProviderAddressOr}
            icon={<Search />}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <Segmented label={TEXTS.state} value={state} onValueChange={setState} options={STATES} />
        <Button variant="primary" icon={<Plus />} className="ml-auto" onClick={() => setIsNew(true)}>
          {TEXTS.openAnAccount}
        </Button>
      </div>
      {accounts.isPending ? (
        <SkeletonRows label={TEXTS.accountsAreLoading} />
      ) : accounts.isError ? (
        <ErrorState error={accounts.error} onRetry={accounts.refetch} />
      ) : rows.length === 0 ? (
        <EmptyState icon={<Building2 />} title={TEXTS.noOrganisationMatches}>
          {TEXTS.tryPartOfA}
        </EmptyState>
      ) : (
        <>
          <Table
            label={TEXTS.organisations}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            selectedKey={openId}
            onRowClick={({ id }) => setOpenId(id)}
          />
          <LoadMore
            hasMore={accounts.hasNextPage}
            loading={accounts.isFetchingNextPage}
            onMore={accounts.fetchNextPage}
            count={TEXTS.countOrganisations(rows.length)}
          />
        </>
      )}
      <AccountSheet
        account={rows.find(({ id }) => id === openId)}
        onClose={() => setOpenId(undefined)}
        onChanged={refresh}
      />
      {isNew && <NewAccountDialog onClose={() => setIsNew(false)} onMade={refresh} />}
    </div>
  );
}
