/** Every page of the dashboard for whoever is logged in, and who looks at it. */
export const PAGES: readonly { readonly path: string; readonly by: "owner" | "operator" }[] = [
  ...[
    "/",
    "/keys",
    "/usage",
    "/requests",
    "/playground",
    "/models",
    "/routing",
    "/safety",
    "/billing",
    "/providers",
    "/earnings",
    "/settings/profile",
    "/settings/security",
    "/settings/organisation",
    "/settings/members",
    "/settings/sso",
    "/settings/service-accounts",
    "/settings/audit",
    "/settings/data",
    "/settings/provider-keys",
    "/settings/webhooks",
  ].map((path) => ({ path, by: "owner" as const })),
  ...[
    "/operator/accounts",
    "/operator/models",
    "/operator/codes",
    "/operator/payouts",
    "/operator/safety",
    "/operator/health",
    "/operator/settings",
    "/operator/audit",
  ].map((path) => ({ path, by: "operator" as const })),
];

/** Pages for strangers. */
export const DOORS = ["/log-in", "/sign-up", "/forgot", "/reset", "/verify", "/first-login", "/invitation"];
