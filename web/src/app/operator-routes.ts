import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { shellRoute } from "./root-route.ts";

const operator = createRoute({
  getParentRoute: () => shellRoute,
  path: "/operator",
  component: lazyRouteComponent(() => import("../features/operator/operator-page.tsx"), "OperatorPage"),
});
const tabs = [
  createRoute({
    getParentRoute: () => operator,
    path: "/",
    beforeLoad: () => {
      redirect({ to: "/operator/accounts", throw: true });
    },
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/accounts",
    component: lazyRouteComponent(() => import("../features/operator/operator-accounts.tsx"), "OperatorAccounts"),
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
    component: lazyRouteComponent(() => import("../features/operator/operator-settings.tsx"), "OperatorSettings"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/audit",
    component: lazyRouteComponent(() => import("../features/operator/operator-audit.tsx"), "OperatorAudit"),
  }),
] as const;

/** The operator's page, with its tabs. */
export const operatorRoutes = operator.addChildren(tabs);
