import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import { createRoute, createRouter, type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { checkConnection, onConnectionChange } from "../api/connection.ts";
import { readModelSearch } from "../features/models/model-filters.ts";
import { readPlaygroundSearch } from "../features/playground/playground-search.ts";
import { readRequestSearch } from "../features/requests/request-search.ts";
import { readUsageSearch } from "../features/usage/usage-search.ts";
import { texts } from "../texts/texts.ts";
import { ErrorState } from "../ui/error-state.tsx";
import { Skeleton, SkeletonRows } from "../ui/skeleton.tsx";
import { entryRoutes } from "./entry-routes.ts";
import { lazyPage, PageNotLoaded } from "./lazy-page.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { operatorRoutes } from "./operator-routes.ts";
import { rootRoute, shellRoute } from "./root-route.ts";
import { settingsRoutes } from "./settings-routes.ts";

const start = createRoute({
  getParentRoute: () => shellRoute,
  path: "/",
  component: lazyPage(() => import("../features/start/start-page.tsx"), "StartPage"),
});
const keys = createRoute({
  getParentRoute: () => shellRoute,
  path: "/keys",
  // `?create=true` opens the form, which is how the command palette gets there.
  validateSearch: (search: Record<string, unknown>): { create?: boolean } =>
    search.create === true ? { create: true } : {},
  component: lazyPage(() => import("../features/keys/keys-page.tsx"), "KeysPage"),
});
const usage = createRoute({
  getParentRoute: () => shellRoute,
  path: "/usage",
  validateSearch: readUsageSearch,
  component: lazyPage(() => import("../features/usage/usage-page.tsx"), "UsagePage"),
});
const requests = createRoute({
  getParentRoute: () => shellRoute,
  path: "/requests",
  validateSearch: readRequestSearch,
  component: lazyPage(() => import("../features/requests/requests-page.tsx"), "RequestsPage"),
});
// The list stays where it is, and one request is a sheet over it.
const request = createRoute({
  getParentRoute: () => requests,
  path: "/$id",
  component: lazyPage(() => import("../features/requests/request-sheet.tsx"), "RequestSheet"),
});
const playground = createRoute({
  getParentRoute: () => shellRoute,
  path: "/playground",
  // What the playground begins with, such as from a model's page.
  validateSearch: readPlaygroundSearch,
  component: lazyPage(() => import("../features/playground/playground-page.tsx"), "PlaygroundPage"),
});
// Side by side, a rest of the path that is empty would win over the list: so both stand under one.
const modelPages = createRoute({ getParentRoute: () => shellRoute, path: "/models" });
const models = createRoute({
  getParentRoute: () => modelPages,
  path: "/",
  validateSearch: readModelSearch,
  component: lazyPage(() => import("../features/models/models-page.tsx"), "ModelsPage"),
});
// A model's name may have a slash in it: it is the rest of the path, `useParams()._splat`.
const model = createRoute({
  getParentRoute: () => modelPages,
  path: "$",
  component: lazyPage(() => import("../features/models/model-page.tsx"), "ModelPage"),
});
const routing = createRoute({
  getParentRoute: () => shellRoute,
  path: "/routing",
  component: lazyPage(() => import("../features/routing/routing-page.tsx"), "RoutingPage"),
});
const presets = createRoute({
  getParentRoute: () => shellRoute,
  path: "/presets",
  component: lazyPage(() => import("../features/presets/presets-page.tsx"), "PresetsPage"),
});
const safety = createRoute({
  getParentRoute: () => shellRoute,
  path: "/safety",
  component: lazyPage(() => import("../features/safety/safety-page.tsx"), "SafetyPage"),
});
const billing = createRoute({
  getParentRoute: () => shellRoute,
  path: "/billing",
  // The card processor sends people back with the order that they have paid.
  validateSearch: (search: Record<string, unknown>): { order?: string } =>
    typeof search.order === "string" ? { order: search.order } : {},
  component: lazyPage(() => import("../features/billing/billing-page.tsx"), "BillingPage"),
});
const receipt = createRoute({
  getParentRoute: () => shellRoute,
  path: "/billing/receipts/$id",
  component: lazyPage(() => import("../features/billing/receipt-page.tsx"), "ReceiptPage"),
});
const statement = createRoute({
  getParentRoute: () => shellRoute,
  path: "/billing/statements/$month",
  component: lazyPage(() => import("../features/billing/statement-page.tsx"), "StatementPage"),
});
const providers = createRoute({
  getParentRoute: () => shellRoute,
  path: "/providers",
  // `?register=true` is the form, and `?import=true` the import: a path of their own could be the name of a model.
  validateSearch: (search: Record<string, unknown>): { register?: boolean; import?: boolean } => ({
    ...(search.register === true ? { register: true } : {}),
    ...(search.import === true ? { import: true } : {}),
  }),
  component: lazyPage(() => import("../features/providers/providers-page.tsx"), "ProvidersPage"),
});
// Below `/providers` it could be the name of a model.
const earnings = createRoute({
  getParentRoute: () => shellRoute,
  path: "/earnings",
  component: lazyPage(() => import("../features/providers/earnings-page.tsx"), "EarningsPage"),
});
const provider = createRoute({
  getParentRoute: () => shellRoute,
  path: "/providers/$name",
  validateSearch: (search: Record<string, unknown>): { edit?: boolean } => (search.edit === true ? { edit: true } : {}),
  component: lazyPage(() => import("../features/providers/provider-page.tsx"), "ProviderPage"),
});

// An address that leads nowhere keeps the frame around it.
const nowhere = createRoute({ getParentRoute: () => shellRoute, path: "$", component: NotFoundPage });

/** Every page and the way to it. Pages are fetched when they are first opened. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    shellRoute.addChildren([
      start,
      keys,
      usage,
      requests.addChildren([request]),
      playground,
      modelPages.addChildren([models, model]),
      routing,
      presets,
      safety,
      billing,
      receipt,
      statement,
      providers,
      earnings,
      provider,
      operatorRoutes,
      settingsRoutes,
      nowhere,
    ]),
    ...entryRoutes,
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: RouteError,
  defaultPendingComponent: PendingPage,
  defaultPendingMs: 300,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

/** A placeholder for a page that is being loaded. */
function PendingPage() {
  return (
    <div className="mx-auto grid w-full max-w-6xl gap-6">
      <Skeleton className="h-8 w-48" />
      <SkeletonRows label={texts.shell.loadingPage} />
    </div>
  );
}

/** What a page shows where it broke; the shell around it stays. */
function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  useEffect(
    () => (error instanceof PageNotLoaded ? onConnectionChange(() => void reloadWhenUp()) : undefined),
    [error],
  );
  const { reset: resetQueries } = useQueryErrorResetBoundary();
  return (
    <div className="mx-auto w-full max-w-3xl p-4">
      <ErrorState
        error={error}
        title={error instanceof PageNotLoaded ? error.message : texts.shell.pageFailed}
        onRetry={() => {
          // Code that could not be fetched comes with the whole document, once the service is there to send it.
          if (error instanceof PageNotLoaded) return void reloadWhenUp();
          resetQueries();
          reset();
          void router.invalidate();
        }}
      />
    </div>
  );
}

async function reloadWhenUp(): Promise<void> {
  if ((await checkConnection()) === "up") location.reload();
}
