import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { shellRoute } from "./root-route.ts";

const settings = createRoute({
  getParentRoute: () => shellRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("../features/settings/settings-page.tsx"), "SettingsPage"),
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
    component: lazyRouteComponent(() => import("../features/settings/profile-settings.tsx"), "ProfileSettings"),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/security",
    component: lazyRouteComponent(() => import("../features/settings/security-settings.tsx"), "SecuritySettings"),
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
    component: lazyRouteComponent(() => import("../features/settings/members-settings.tsx"), "MembersSettings"),
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
    path: "/provider-keys",
    component: lazyRouteComponent(
      () => import("../features/settings/provider-keys-settings.tsx"),
      "ProviderKeysSettings",
    ),
  }),
  createRoute({
    getParentRoute: () => settings,
    path: "/webhooks",
    component: lazyRouteComponent(() => import("../features/settings/webhooks-settings.tsx"), "WebhooksSettings"),
  }),
] as const;

/** The settings, with their tabs. */
export const settingsRoutes = settings.addChildren(tabs);
