import { createRoute, redirect } from "@tanstack/react-router";
import { createElement } from "react";
import { useSession } from "../api/session.ts";
import { lazyPage } from "./lazy-page.ts";
import { mayOperate } from "./navigation.ts";
import { NotFoundPage } from "./not-found-page.tsx";
import { shellRoute } from "./root-route.ts";

const OperatorPage = lazyPage(() => import("../features/operator/operator-page.tsx"), "OperatorPage");

/** The operator's pages; for all others there is nothing here. */
function OperatorFrame() {
  return mayOperate(useSession()) ? createElement(OperatorPage) : createElement(NotFoundPage);
}

const operator = createRoute({
  getParentRoute: () => shellRoute,
  path: "/operator",
  component: OperatorFrame,
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
    component: lazyPage(() => import("../features/operator/operator-accounts.tsx"), "OperatorAccounts"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/models",
    component: lazyPage(() => import("../features/operator/operator-models.tsx"), "OperatorModels"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/codes",
    component: lazyPage(() => import("../features/operator/operator-codes.tsx"), "OperatorCodes"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/token",
    component: lazyPage(() => import("../features/operator/operator-token.tsx"), "OperatorToken"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/payouts",
    component: lazyPage(() => import("../features/operator/operator-payouts.tsx"), "OperatorPayouts"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/payments",
    component: lazyPage(() => import("../features/operator/operator-payments.tsx"), "OperatorPayments"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/safety",
    component: lazyPage(() => import("../features/operator/operator-safety.tsx"), "OperatorSafety"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/health",
    component: lazyPage(() => import("../features/operator/operator-health.tsx"), "OperatorHealth"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/clusters",
    component: lazyPage(() => import("../features/operator/operator-clusters.tsx"), "OperatorClusters"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/settings",
    component: lazyPage(() => import("../features/operator/operator-settings.tsx"), "OperatorSettings"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/configuration",
    component: lazyPage(() => import("../features/operator/operator-configuration.tsx"), "OperatorConfiguration"),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: "/audit",
    component: lazyPage(() => import("../features/operator/operator-audit.tsx"), "OperatorAudit"),
  }),
] as const;

/** The operator's page, with its tabs. */
export const operatorRoutes = operator.addChildren(tabs);
