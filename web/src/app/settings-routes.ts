import { createRoute, redirect } from "@tanstack/react-router";
import { lazyPage } from "./lazy-page.ts";
import { shellRoute } from "./root-route.ts";

const settings = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  component: lazyPage(() => import("../features/settings/settings-page.tsx"), "SettingsPage"),
});
const tabs = [
  createRoute({
    getParentRoute: () => settings,
    path: "/",
    beforeLoad: () => {
      redirect({ to: "/settings/profile", throw: true });
    },
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/profile",
    component: lazyPage(() => import("../features/settings/profile-settings.tsx"), "ProfileSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/security",
    component: lazyPage(() => import("../features/settings/security-settings.tsx"), "SecuritySettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/organisation",
    component: lazyPage(() => import("../features/settings/organisation-settings.tsx"), "OrganisationSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/members",
    component: lazyPage(() => import("../features/settings/members-settings.tsx"), "MembersSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/sso",
    component: lazyPage(() => import("../features/settings/sso-settings.tsx"), "SsoSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/service-accounts",
    component: lazyPage(() => import("../features/settings/service-accounts-settings.tsx"), "ServiceAccountsSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/audit",
    component: lazyPage(() => import("../features/settings/audit-settings.tsx"), "AuditSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/data",
    component: lazyPage(() => import("../features/settings/data-settings.tsx"), "DataSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/provider-keys",
    component: lazyPage(() => import("../features/settings/provider-keys-settings.tsx"), "ProviderKeysSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/webhooks",
    component: lazyPage(() => import("../features/settings/webhooks-settings.tsx"), "WebhooksSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/log-export",
    component: lazyPage(() => import("../features/settings/log-sinks-settings.tsx"), "LogSinksSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/guardrails",
    component: lazyPage(() => import("../features/settings/guardrail-hooks-settings.tsx"), "GuardrailHooksSettings"),
  }),
] as const;

/** The settings, with their tabs. */
export const settingsRoutes = settings.addChildren(tabs);
