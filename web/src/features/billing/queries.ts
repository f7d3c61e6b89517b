import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AnswerOf, QueryOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type Transaction = AnswerOf<"GET /v1/transactions">["data"][number];
export type Receipt = AnswerOf<"GET /v1/receipts">["data"][number];
export type Month = AnswerOf<"GET /v1/statements">["data"][number];
export type TransactionKind = NonNullable<QueryOf<"GET /v1/transactions">["kind"]>;

/** What of the transactions is shown. Empty days are open ends. */
export interface TransactionFilter {
  readonly kind: TransactionKind;
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: TransactionFilter = { kind: "all", from: "", to: "" };

/** Money moves while one looks: every 10 seconds, as long as the page is in sight. */
export const summaryQuery = queryOptions({
  queryKey: ["billing", "summary"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/summary", { signal }),
  refetchInterval: 10_000,
});

export const methodsQuery = queryOptions({
  queryKey: ["billing", "methods"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/methods", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const autoTopUpQuery = queryOptions({
  queryKey: ["billing", "auto-top-up"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/auto-top-up", { signal }),
});

/** An order, asked for again until it is paid or has failed. */
export function orderQuery(id: string) {
  return queryOptions({
    queryKey: ["billing", "order", id],
    queryFn: ({ signal }) => api.call("GET /v1/billing/orders/{id}", { signal, params: { id } }),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === "open" ? 1_500 : false),
  });
}

export const detailsQuery = queryOptions({
  queryKey: ["billing", "details"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/details", { signal }),
});

export const alertsQuery = queryOptions({
  queryKey: ["billing", "alerts"],
  queryFn: ({ signal }) => api.call("GET /v1/billing/alerts", { signal }),
});

/** The account's settings say in which time zone its days begin. */
export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => api.call("GET /v1/settings", { signal }),
});

export function queryOfFilter({ kind, from, to }: TransactionFilter) {
  return { kind, ...(from === "" ? {} : { from }), ...(to === "" ? {} : { to }) };
}

export function transactionsQuery(filter: TransactionFilter) {
  return infiniteQueryOptions({
    queryKey: ["billing", "transactions", filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      api.call("GET /v1/transactions", {
        signal,
        query: { limit: 20, ...queryOfFilter(filter), ...(cursor === undefined ? {} : { cursor }) },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
}

/** The charges of one day, one by one. */
export function chargesQuery(day: string) {
  return infiniteQueryOptions({
    queryKey: ["billing", "charges", day],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      api.call("GET /v1/transactions", {
        signal,
        query: {
          limit: 20,
          kind: "charge",
          group: "none",
          from: day,
          to: day,
          ...(cursor === undefined ? {} : { cursor }),
        },
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
  });
}

export const receiptsQuery = infiniteQueryOptions({
  queryKey: ["billing", "receipts"],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam: cursor, signal }) =>
    api.call("GET /v1/receipts", {
      signal,
      query: { limit: 6, ...(cursor === undefined ? {} : { cursor }) },
    }),
  getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
});

export const statementsQuery = infiniteQueryOptions({
  queryKey: ["billing", "statements"],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam: cursor, signal }) =>
    api.call("GET /v1/statements", {
      signal,
      query: { limit: 6, ...(cursor === undefined ? {} : { cursor }) },
    }),
  getNextPageParam: ({ next_cursor: cursor }) => cursor ?? undefined,
});

export function receiptQuery(id: string) {
  return queryOptions({
    queryKey: ["billing", "receipt", id],
    queryFn: ({ signal }) => api.call("GET /v1/receipts/{id}", { signal, params: { id } }),
  });
}

export function statementQuery(month: string) {
  return queryOptions({
    queryKey: ["billing", "statement", month],
    queryFn: ({ signal }) => api.call("GET /v1/statements/{month}", { signal, params: { month } }),
  });
}
