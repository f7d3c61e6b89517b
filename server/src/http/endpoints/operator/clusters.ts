import { Fault } from "@trunkline/core/fault.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { AccountPlace, ClusterDirectory } from "../../../store/clusters/cluster-directory.ts";
import { HOME } from "../../../store/clusters/cluster-registry.ts";
import { MoveRefused } from "../../../store/clusters/move-account.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";
import { findCustomer } from "./accounts.ts";

const clusterSchema = z.object({
  number: z.int(),
  home: z.boolean().describe("Whether it has what accounts share. New accounts begin there."),
  reachable: z.boolean().describe("false: the cluster is away, and its figures are null."),
  accounts: z.int().nullable().describe("How many accounts spend there."),
  balance: z.number().nullable().describe("All their credits there."),
  bytes: z.number().nullable(),
  on_the_way: z.number().nullable().describe("Credits that have left it for another cluster and are not there yet."),
});

const listClusters = controlEndpoint({
  method: "GET",
  path: "/v1/admin/clusters",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "List the PostgreSQL clusters that accounts are placed on",
  description: "Empty where the service has one database.",
  faults: [],
  response: z.object({ data: z.array(clusterSchema) }),
  async handle({ services }) {
    const clusters = (await services.clusterDirectory?.list()) ?? [];
    return {
      data: clusters.map(({ number, isHome, figures }) => ({
        number,
        home: isHome,
        reachable: figures !== undefined,
        accounts: figures === undefined ? null : Number(figures.accounts),
        balance: figures === undefined ? null : toCredits(figures.balances),
        bytes: figures === undefined ? null : Number(figures.bytes),
        on_the_way: figures === undefined ? null : toCredits(figures.underWay),
      })),
    };
  },
});

const placeSchema = z.object({
  cluster: z.int().describe("The number of the cluster where it spends."),
  past: z.array(z.int()).describe("Where it was before. Its records of then stay there and are read from there."),
  moved_at: z.string().nullable().describe("When it was moved last; null: never."),
  following: z
    .number()
    .describe(
      "Its credits that are not there yet, as instances have leased them elsewhere: they follow within seconds.",
    ),
});

const readPlace = controlEndpoint({
  method: "GET",
  path: "/v1/admin/accounts/:id/cluster",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Read where an account is",
  faults: ["not_found"],
  response: placeSchema,
  async handle({ services, params }) {
    const { id } = await findCustomer(services, params.id);
    return toPlaceResponse(await placeOf(services.clusterDirectory, id));
  },
});

const moveAccount = controlEndpoint({
  method: "PUT",
  path: "/v1/admin/accounts/:id/cluster",
  permission: "operator.change",
  audit: {
    action: "account.move",
    accountOf: ({ params }) => params.id,
    details: ({ body }, { from }) => ({ from, to: body.cluster }),
  },
  status: 200,
  tag: "Operator",
  summary: "Move an account to another cluster",
  description:
    "While it runs: requests that begin in these milliseconds get 503 with `Retry-After`, running ones end where they began. Its credits move with it, but for those that instances have leased, which follow within seconds.",
  faults: ["not_found", "conflict"],
  body: z.object({ cluster: z.int().min(1).max(9_999).describe("The number of the cluster.") }),
  response: placeSchema.extend({ from: z.int(), moved: z.number().describe("The credits that moved at once.") }),
  async handle({ services, params, body }) {
    const { id } = await findCustomer(services, params.id);
    const directory = requireSeveral(services);
    if (!directory.has(body.cluster))
      throw new Fault(
        "invalid_request",
        `There is no cluster ${body.cluster}. List them with GET /v1/admin/clusters.`,
        {
          param: "cluster",
        },
      );
    try {
      const { from, moved } = await directory.move(id, body.cluster);
      return { ...toPlaceResponse(await directory.placeOf(id)), from, moved: toCredits(moved) };
    } catch (error) {
      if (error instanceof MoveRefused) throw new Fault("conflict", error.message, { param: "cluster" });
      throw error;
    }
  },
});

function requireSeveral({ clusterDirectory }: Services): ClusterDirectory {
  if (clusterDirectory !== undefined) return clusterDirectory;
  throw new Fault("conflict", "There is one database. Name several in DATABASE_URLS to place accounts on them.");
}

function placeOf(directory: ClusterDirectory | undefined, accountId: string): Promise<AccountPlace> | AccountPlace {
  return directory?.placeOf(accountId) ?? { cluster: HOME, past: [], movedAt: undefined, elsewhere: 0n };
}

function toPlaceResponse({ cluster, past, movedAt, elsewhere }: AccountPlace) {
  return {
    cluster,
    past: [...past],
    moved_at: movedAt?.toISOString() ?? null,
    following: toCredits(elsewhere),
  };
}

export const operatorClusterEndpoints: readonly Endpoint[] = [listClusters, readPlace, moveAccount];
