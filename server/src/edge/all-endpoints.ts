import type { Endpoint } from "./endpoint.ts";
import { accountEndpoints } from "./endpoints/account.ts";
import { adminEndpoints } from "./endpoints/admin.ts";
import { auditLogEndpoints } from "./endpoints/audit-log.ts";
import { customerEndpoints } from "./endpoints/customers.ts";
import { inferenceEndpoints } from "./endpoints/inference.ts";
import { invitationEndpoints } from "./endpoints/invitations.ts";
import { keyEndpoints } from "./endpoints/keys.ts";
import { memberEndpoints } from "./endpoints/members.ts";
import { modelEndpoints } from "./endpoints/models.ts";
import { operatorHealthEndpoints } from "./endpoints/operator-health.ts";
import { operatorModelEndpoints } from "./endpoints/operator-models.ts";
import { operatorSettingEndpoints } from "./endpoints/operator-settings.ts";
import { organisationEndpoints } from "./endpoints/organisation.ts";
import { providerEndpoints } from "./endpoints/provider.ts";
import { reconciliationEndpoints } from "./endpoints/reconciliation.ts";
import { requestEndpoints } from "./endpoints/requests.ts";
import { routingEndpoints } from "./endpoints/routing.ts";
import { safetyEndpoints } from "./endpoints/safety.ts";
import { usageEndpoints } from "./endpoints/usage.ts";
import { webhookEndpoints } from "./endpoints/webhooks.ts";

/** Every operation under /v1, in the order of the reference. */
export const ALL_ENDPOINTS: readonly Endpoint[] = [
  ...inferenceEndpoints,
  ...modelEndpoints,
  ...routingEndpoints,
  ...usageEndpoints,
  ...requestEndpoints,
  ...accountEndpoints,
  ...organisationEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
  ...auditLogEndpoints,
  ...keyEndpoints,
  ...webhookEndpoints,
  ...safetyEndpoints,
  ...providerEndpoints,
  ...reconciliationEndpoints,
  ...adminEndpoints,
  ...customerEndpoints,
  ...operatorModelEndpoints,
  ...operatorSettingEndpoints,
  ...operatorHealthEndpoints,
];
