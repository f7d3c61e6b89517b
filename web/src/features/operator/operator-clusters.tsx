import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { Building2, Database, Search } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Field } from "../../ui/field.tsx";
import { formatBytes, formatNumber } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Money } from "../../ui/money.tsx";
import { NativeSelect } from "../../ui/native-select.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { LoadMore } from "../../ui/pagination.tsx";
import { Section } from "../../ui/section.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { MoveAccountDialog } from "./move-account-dialog.tsx";

const TEXTS = texts.clusters;

type Cluster = AnswerOf<"GET /v1/admin/clusters">["data"][number];
type Account = AnswerOf<"GET /v1/admin/accounts">["data"][number];

const REFRESH_MS = 5_000;
const CLUSTERS_KEY = ["operator", "clusters"];
const ACCOUNTS_KEY = ["operator", "accounts"];

const COLUMNS: readonly Column<Cluster>[] = [
  {
    id: "cluster",
    header: TEXTS.cluster,
    cell: ({ number, home, reachable }) => (
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{TEXTS.named(number)}</span>
        {home && <Badge tone="accent">{TEXTS.home}</Badge>}
        {!reachable && (
          <Badge tone="danger" dot>
            {TEXTS.away}
          </Badge>
        )}
      </span>
    ),
  },
  { id: "accounts", header: TEXTS.accounts, align: "right", cell: ({ accounts }) => shown(accounts, formatNumber) },
  {
    id: "balance",
    header: TEXTS.balances,
    align: "right",
    cell: ({ balance }) => shown(balance, (credits) => <Money credits={credits} />),
  },
  {
    id: "on-the-way",
    header: TEXTS.onTheWay,
    align: "right",
    wideOnly: true,
    cell: ({ on_the_way: credits }) => shown(credits, (some) => <Money credits={some} />),
  },
  {
    id: "size",
    header: TEXTS.size,
    align: "right",
    wideOnly: true,
    cell: ({ bytes }) => shown(bytes, formatBytes),
  },
];

/** The tab Clusters: the databases that accounts are placed on, and which account is where. */
export function OperatorClusters() {
  useDocumentTitle(TEXTS.title);
  const clusters = useQuery({
    queryKey: CLUSTERS_KEY,
    queryFn: ({ signal }) => api.call("GET /v1/admin/clusters", { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (clusters.isPending) return <SkeletonRows label={TEXTS.loading} />;
  if (clusters.isError) return <ErrorState error={clusters.error} onRetry={clusters.refetch} />;
  const { data } = clusters.data;
  if (data.length === 0)
    return (
      <EmptyState icon={<Database />} title={TEXTS.one}>
        {TEXTS.oneText}
      </EmptyState>
    );
  return (
    <div className="grid gap-8">
      <Section title={TEXTS.title} description={TEXTS.description}>
        <Table label={TEXTS.title} columns={COLUMNS} rows={data} rowKey={({ number }) => String(number)} />
      </Section>
      <PlacedAccounts clusters={data} />
    </div>
  );
}

function PlacedAccounts({ clusters }: { readonly clusters: readonly Cluster[] }) {
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [cluster, setCluster] = useState("");
  const [moving, setMoving] = useState<Account>();
  const q = useDebounced(text.trim());
  const accounts = useInfiniteQuery({
    queryKey: [...ACCOUNTS_KEY, "by cluster", q, cluster],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.call("GET /v1/admin/accounts", {
        signal,
        query: {
          limit: 50,
          ...(q === "" ? {} : { q }),
          ...(cluster === "" ? {} : { cluster: Number(cluster) }),
          ...(pageParam === undefined ? {} : { cursor: pageParam }),
        },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
  const columns = useMemo(() => accountColumns(setMoving), []);
  const rows = accounts.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section title={TEXTS.accounts} description={TEXTS.accountsText}>
      <div className="grid gap-4">
        <div className="flex flex-wrap items-end gap-3">
          <Field label={texts.operator.accounts.findAnOrganisation} hideLabel className="w-full sm:w-80">
            <Input
              type="search"
              placeholder={texts.operator.accounts.nameProviderAddressOr}
              icon={<Search />}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
          <Field label={TEXTS.cluster} hideLabel className="w-full sm:w-48">
            <NativeSelect value={cluster} onChange={(event) => setCluster(event.target.value)}>
              <option value="">{TEXTS.all}</option>
              {clusters.map(({ number }) => (
                <option key={number} value={number}>
                  {TEXTS.named(number)}
                </option>
              ))}
            </NativeSelect>
          </Field>
        </div>
        {accounts.isPending ? (
          <SkeletonRows label={texts.operator.accounts.accountsAreLoading} />
        ) : accounts.isError ? (
          <ErrorState error={accounts.error} onRetry={accounts.refetch} />
        ) : rows.length === 0 ? (
          <EmptyState icon={<Building2 />} title={texts.operator.accounts.noOrganisationMatches}>
            {TEXTS.noneHere}
          </EmptyState>
        ) : (
          <>
            <Table label={TEXTS.accounts} columns={columns} rows={rows} rowKey={({ id }) => id} />
            <LoadMore
              hasMore={accounts.hasNextPage}
              loading={accounts.isFetchingNextPage}
              onMore={accounts.fetchNextPage}
              count={texts.operator.accounts.countOrganisations(rows.length)}
            />
          </>
        )}
      </div>
      {moving !== undefined && (
        <MoveAccountDialog
          account={moving}
          clusters={clusters}
          onMoved={async () => {
            await queries.invalidateQueries({ queryKey: CLUSTERS_KEY });
            await queries.invalidateQueries({ queryKey: ACCOUNTS_KEY });
          }}
          onClose={() => setMoving(undefined)}
        />
      )}
    </Section>
  );
}

function accountColumns(onMove: (account: Account) => void): readonly Column<Account>[] {
  return [
    {
      id: "name",
      header: texts.operator.accounts.organisation,
      className: "min-w-36",
      cell: ({ name, operator }) => (
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium wrap-anywhere">{name}</span>
          {operator && <Badge tone="accent">{texts.operator.accounts.operator}</Badge>}
        </span>
      ),
    },
    { id: "cluster", header: TEXTS.cluster, cell: ({ cluster }) => cluster },
    {
      id: "balance",
      header: texts.operator.accounts.balance,
      align: "right",
      wideOnly: true,
      cell: ({ balance }) => <Money credits={balance} />,
    },
    {
      id: "requests",
      header: texts.operator.accounts.requestsDays,
      align: "right",
      wideOnly: true,
      cell: ({ last_30_days: { requests } }) => formatNumber(requests),
    },
    {
      id: "move",
      header: TEXTS.move,
      hideHeader: true,
      align: "right",
      // The operator's own stays at home.
      cell: (account) =>
        account.operator ? null : (
          <Button size="sm" aria-label={TEXTS.moveNamed(account.name)} onClick={() => onMove(account)}>
            {TEXTS.moveIt}
          </Button>
        ),
    },
  ];
}

function shown<Value>(value: Value | null, show: (value: Value) => ReactNode): ReactNode {
  return value === null ? "—" : show(value);
}
