import { Outlet } from "@tanstack/react-router";
import { useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Page } from "../../ui/page.tsx";
import { LinkTabs } from "../../ui/tabs.tsx";

const TEXTS = texts.operator.page;

const TABS = [
  { to: "/operator/accounts", label: TEXTS.accounts },
  { to: "/operator/models", label: TEXTS.models },
  { to: "/operator/codes", label: TEXTS.codes },
  { to: "/operator/payments", label: TEXTS.payments },
  { to: "/operator/token", label: TEXTS.token },
  { to: "/operator/payouts", label: TEXTS.payouts },
  { to: "/operator/safety", label: TEXTS.safety },
  { to: "/operator/health", label: TEXTS.health },
  { to: "/operator/clusters", label: texts.clusters.tab },
  { to: "/operator/settings", label: TEXTS.settings },
  { to: "/operator/configuration", label: texts.configuration.title },
  { to: "/operator/audit", label: TEXTS.audit },
] as const;

/** Operator: a page of tabs, each a route of its own. */
export function OperatorPage() {
  const { features } = useSession();
  const isShown: Partial<Record<string, boolean>> = {
    "/operator/payments": features.card,
    "/operator/token": features.wallet,
    "/operator/clusters": features.clusters,
  };
  const items = TABS.filter(({ to }) => isShown[to] ?? true);
  return (
    <Page
      title={TEXTS.operator}
      description={TEXTS.theWholeGatewayFor}
      below={<LinkTabs label={TEXTS.operator} items={items} />}
    >
      <Outlet />
    </Page>
  );
}
