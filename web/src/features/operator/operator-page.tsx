import { Outlet } from "@tanstack/react-router";
import { useSession } from "../../api/session.ts";
import { Page } from "../../ui/page.tsx";
import { LinkTabs } from "../../ui/tabs.tsx";

const TABS = [
  { to: "/operator/accounts", label: "Accounts" },
  { to: "/operator/models", label: "Models" },
  { to: "/operator/codes", label: "Codes" },
  { to: "/operator/payments", label: "Payments" },
  { to: "/operator/token", label: "Token" },
  { to: "/operator/payouts", label: "Payouts" },
  { to: "/operator/safety", label: "Safety" },
  { to: "/operator/health", label: "Health" },
  { to: "/operator/settings", label: "Settings" },
  { to: "/operator/audit", label: "Audit" },
] as const;

/** Operator: a page of tabs, each a route of its own. */
export function OperatorPage() {
  const { features } = useSession();
  const isShown: Partial<Record<string, boolean>> = {
    "/operator/payments": features.card,
    "/operator/token": features.wallet,
  };
  const items = TABS.filter(({ to }) => isShown[to] ?? true);
  return (
    <Page
      title="Operator"
      description="The whole gateway, for those who run it."
      below={<LinkTabs label="Operator" items={items} />}
    >
      <Outlet />
    </Page>
  );
}
