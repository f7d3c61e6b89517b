import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { queryClient } from "../api/query-client.ts";
import { safeNext } from "../api/safe-next.ts";
import { isLoggedOut, sessionQuery } from "../api/session.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { PendingPage } from "./pending-page.tsx";
import { RootLayout } from "./root-layout.tsx";
import { RouteError } from "./route-error.tsx";
import { Shell } from "./shell.tsx";

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFoundPage });

/** Everything inside the shell needs a session; it is loaded before anything is drawn. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (isLoggedOut(error)) throw redirect({ to: "/log-in", search: { next: safeNext(location.href) } });
      throw error;
    }
  },
});

const start = createRoute({
  getParentRoute: () => shell,
  path: "/",
  component: lazyRouteComponent(() => import("../features/start/start-page.tsx"), "StartPage"),
});
const keys = createRoute({
  getParentRoute: () => shell,
  path: "/keys",
  // `?create=true` opens the form, which is how the command palette gets there.
  validateSearch: (search: Record<string, unknown>): { create?: boolean } =>
    search.create === true ? { create: true } : {},
  component: lazyRouteComponent(() => import("../features/keys/keys-page.tsx"), "KeysPage"),
});
const usage = createRoute({
  getParentRoute: () => shell,
  path: "/usage",
  component: lazyRouteComponent(() => import("../features/usage/usage-page.tsx"), "UsagePage"),
});
const requests = createRoute({
  getParentRoute: () => shell,
  path: "/requests",
  component: lazyRouteComponent(() => import("../features/requests/requests-page.tsx"), "RequestsPage"),
});
const request = createRoute({
  getParentRoute: () => shell,
  path: "/requests/$id",
  component: lazyRouteComponent(() => import("../features/requests/request-page.tsx"), "RequestPage"),
});
const playground = createRoute({
  getParentRoute: () => shell,
  path: "/playground",
  component: lazyRouteComponent(() => import("../features/playground/playground-page.tsx"), "PlaygroundPage"),
});
const models = createRoute({
  getParentRoute: () => shell,
  path: "/models",
  component: lazyRouteComponent(() => import("../features/models/models-page.tsx"), "ModelsPage"),
});
// A model's name may have a slash in it: it is the rest of the path, `useParams()._splat`.
const model = createRoute({
  getParentRoute: () => shell,
  path: "/models/$",
  component: lazyRouteComponent(() => import("../features/models/model-page.tsx"), "ModelPage"),
});
const routing = createRoute({
  getParentRoute: () => shell,
  path: "/routing",
  component: lazyRouteComponent(() => import("../features/routing/routing-page.tsx"), "RoutingPage"),
});
const billing = createRoute({
  getParentRoute: () => shell,
  path: "/billing",
  component: lazyRouteComponent(() => import("../features/billing/billing-page.tsx"), "BillingPage"),
});
const receipt = createRoute({
  getParentRoute: () => shell,
  path: "/billing/receipts/$id",
  component: lazyRouteComponent(() => import("../features/billing/receipt-page.tsx"), "ReceiptPage"),
});
const statement = createRoute({
  getParentRoute: () => shell,
  path: "/billing/statements/$month",
  component: lazyRouteComponent(() => import("../features/billing/statement-page.tsx"), "StatementPage"),
});
const providers = createRoute({
  getParentRoute: () => shell,
  path: "/providers",
  component: lazyRouteComponent(() => import("../features/providers/providers-page.tsx"), "ProvidersPage"),
});
const provider = createRoute({
  getParentRoute: () => shell,
  path: "/providers/$name",
  component: lazyRouteComponent(() => import("../features/providers/provider-page.tsx"), "ProviderPage"),
});

const operator = createRoute({
  getParentRoute: () => shell,
  path: "/operator",
  component: lazyRouteComponent(() => import("../features/operator/operator-page.tsx"), "OperatorPage"),
});
const operatorTabs = [
  createRoute({
    getParentRoute: () => operator,
    path: "/",
    beforeLoad: () => {
      throw redirect({ to: "/operator/accounts" });
    },
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/accounts",
    component: lazyRouteComponent(
      () => import("../features/operator/operator-accounts.tsx"),
      "OperatorAccounts",
    ),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/models",
    component: lazyRouteComponent(() => import("../features/operator/operator-models.tsx"), "OperatorModels"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/codes",
    component: lazyRouteComponent(() => import("../features/operator/operator-codes.tsx"), "OperatorCodes"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/safety",
    component: lazyRouteComponent(() => import("../features/operator/operator-safety.tsx"), "OperatorSafety"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/health",
    component: lazyRouteComponent(() => import("../features/operator/operator-health.tsx"), "OperatorHealth"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/settings",
    component: lazyRouteComponent(
      () => import("../features/operator/operator-settings.tsx"),
      "OperatorSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/audit",
    component: lazyRouteComponent(() => import("../features/operator/operator-audit.tsx"), "OperatorAudit"),
  }),
] as const;

const settings = createRoute({
  getParentRoute: () => shell,
  path: "/settings",
  component: lazyRouteComponent(() => import("../features/settings/settings-page.tsx"), "SettingsPage"),
});
const settingsTabs = [
  createRoute({
    getParentRoute: () => settings,
    path: "/",
    beforeLoad: () => {
      throw redirect({ to: "/settings/profile" });
    },
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/profile",
    component: lazyRouteComponent(
      () => import("../features/settings/profile-settings.tsx"),
      "ProfileSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/security",
    component: lazyRouteComponent(
      () => import("../features/settings/security-settings.tsx"),
      "SecuritySettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/organisation",
    component: lazyRouteComponent(
      () => import("../features/settings/organisation-settings.tsx"),
      "OrganisationSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/members",
    component: lazyRouteComponent(
      () => import("../features/settings/members-settings.tsx"),
      "MembersSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/audit",
    component: lazyRouteComponent(() => import("../features/settings/audit-settings.tsx"), "AuditSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/data",
    component: lazyRouteComponent(() => import("../features/settings/data-settings.tsx"), "DataSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/webhooks",
    component: lazyRouteComponent(
      () => import("../features/settings/webhooks-settings.tsx"),
      "WebhooksSettings",
    ),
  }),
] as const;

/** What stands after the question mark on the pages outside the shell. */
interface EntrySearch {
  readonly next?: string;
  readonly token?: string;
}

function readEntrySearch(search: Record<string, unknown>): EntrySearch {
  return {
    ...(typeof search.next === "string" ? { next: safeNext(search.next) } : {}),
    ...(typeof search.token === "string" ? { token: search.token } : {}),
  };
}

const entries = [
  createRoute({
    getParentRoute: () => root,
    path: "/log-in",
    validateSearch: readEntrySearch,
    component: lazyRouteComponent(() => import("../features/entry/log-in-page.tsx"), "LogInPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/sign-up",
    validateSearch: readEntrySearch,
    component: lazyRouteComponent(() => import("../features/entry/sign-up-page.tsx"), "SignUpPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/forgot",
    component: lazyRouteComponent(() => import("../features/entry/forgot-page.tsx"), "ForgotPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/reset",
    validateSearch: readEntrySearch,
    component: lazyRouteComponent(() => import("../features/entry/reset-page.tsx"), "ResetPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/verify",
    validateSearch: readEntrySearch,
    component: lazyRouteComponent(() => import("../features/entry/verify-page.tsx"), "VerifyPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/first-login",
    validateSearch: readEntrySearch,
    component: lazyRouteComponent(() => import("../features/entry/first-login-page.tsx"), "FirstLoginPage"),
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/invitation",
    validateSearch: readEntrySearch,
    component: lazyRouteComponent(() => import("../features/entry/invitation-page.tsx"), "InvitationPage"),
  }),
] as const;

/** Every page and the way to it. Pages are fetched when they are first opened. */
export const router = createRouter({
  routeTree: root.addChildren([
    shell.addChildren([
      start,
      keys,
      usage,
      requests,
      request,
      playground,
      models,
      model,
      routing,
      billing,
      receipt,
      statement,
      providers,
      provider,
      operator.addChildren(operatorTabs),
      settings.addChildren(settingsTabs),
    ]),
    ...entries,
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
