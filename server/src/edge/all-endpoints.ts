import { anthropicEndpoints } from "./anthropic/messages.ts";
import { batchTargetsOf } from "./batch-targets.ts";
import { trunklineDialect } from "./dialect.ts";
import type { Endpoint } from "./endpoint.ts";
import { accountEndpoints } from "./endpoints/account.ts";
import { adminEndpoints } from "./endpoints/admin.ts";
import { auditLogEndpoints } from "./endpoints/audit-log.ts";
import { authEndpoints } from "./endpoints/auth.ts";
import { batchEndpoints } from "./endpoints/batches.ts";
import { billingEndpoints } from "./endpoints/billing.ts";
import { cacheEndpoints } from "./endpoints/cache.ts";
import { catalogueEndpoints } from "./endpoints/catalogue.ts";
import { codeEndpoints, redeemEndpoints } from "./endpoints/codes.ts";
import { customerEndpoints } from "./endpoints/customers.ts";
import { fileEndpoints } from "./endpoints/files.ts";
import { inferenceEndpoints } from "./endpoints/inference.ts";
import { invitationEndpoints } from "./endpoints/invitations.ts";
import { keyEndpoints } from "./endpoints/keys.ts";
import { logInEndpoints } from "./endpoints/log-in.ts";
import { meEndpoints } from "./endpoints/me.ts";
import { meSecurityEndpoints } from "./endpoints/me-security.ts";
import { memberEndpoints } from "./endpoints/members.ts";
import { modelValidationEndpoints } from "./endpoints/model-validation.ts";
import { modelEndpoints } from "./endpoints/models.ts";
import { operatorHealthEndpoints } from "./endpoints/operator-health.ts";
import { operatorModelEndpoints } from "./endpoints/operator-models.ts";
import { operatorSafetyEndpoints } from "./endpoints/operator-safety.ts";
import { operatorSettingEndpoints } from "./endpoints/operator-settings.ts";
import { organisationEndpoints } from "./endpoints/organisation.ts";
import { overviewEndpoints } from "./endpoints/overview.ts";
import { providerEndpoints } from "./endpoints/provider.ts";
import { providerKeyEndpoints } from "./endpoints/provider-keys.ts";
import { providerTrafficEndpoints } from "./endpoints/provider-traffic.ts";
import { receiptEndpoints } from "./endpoints/receipts.ts";
import { reconciliationEndpoints } from "./endpoints/reconciliation.ts";
import { requestEndpoints } from "./endpoints/requests.ts";
import { routingEndpoints } from "./endpoints/routing.ts";
import { routingFloorEndpoints } from "./endpoints/routing-floor.ts";
import { routingLearningEndpoints } from "./endpoints/routing-learning.ts";
import { routingReportEndpoints } from "./endpoints/routing-report.ts";
import { safetyEndpoints } from "./endpoints/safety.ts";
import { safetyPolicyEndpoints } from "./endpoints/safety-policy.ts";
import { sessionEndpoints } from "./endpoints/session.ts";
import { transactionEndpoints } from "./endpoints/transactions.ts";
import { usageEndpoints } from "./endpoints/usage.ts";
import { webhookEndpoints } from "./endpoints/webhooks.ts";
import { geminiEndpoints } from "./gemini/endpoints.ts";
import { mcpEndpoints } from "./mcp/endpoints.ts";
import { openAiChatEndpoints } from "./openai/chat/endpoints.ts";
import { openAiCompletionEndpoints } from "./openai/completions/endpoints.ts";
import { openAiDialect } from "./openai/dialect.ts";
import { openAiModelEndpoints } from "./openai/models.ts";
import { openAiOtherEndpoints } from "./openai/other-endpoints.ts";

/** Every operation but those on batches, in the order of the reference. */
const OTHER_ENDPOINTS: readonly Endpoint[] = [
  ...inferenceEndpoints,
  ...cacheEndpoints,
  ...modelEndpoints,
  ...catalogueEndpoints,
  ...routingEndpoints,
  ...routingFloorEndpoints,
  ...routingReportEndpoints,
  ...routingLearningEndpoints,
  ...usageEndpoints,
  ...overviewEndpoints,
  ...requestEndpoints,
  ...accountEndpoints,
  ...sessionEndpoints,
  ...meEndpoints,
  ...meSecurityEndpoints,
  ...authEndpoints,
  ...logInEndpoints,
  ...organisationEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
  ...auditLogEndpoints,
  ...billingEndpoints,
  ...redeemEndpoints,
  ...transactionEndpoints,
  ...receiptEndpoints,
  ...keyEndpoints,
  ...providerKeyEndpoints,
  ...webhookEndpoints,
  ...safetyEndpoints,
  ...safetyPolicyEndpoints,
  ...providerEndpoints,
  ...modelValidationEndpoints,
  ...providerTrafficEndpoints,
  ...reconciliationEndpoints,
  ...adminEndpoints,
  ...codeEndpoints,
  ...customerEndpoints,
  ...operatorModelEndpoints,
  ...operatorSettingEndpoints,
  ...operatorSafetyEndpoints,
  ...operatorHealthEndpoints,
  ...openAiChatEndpoints,
  ...openAiCompletionEndpoints,
  ...openAiModelEndpoints,
  ...openAiOtherEndpoints,
  ...anthropicEndpoints,
  ...geminiEndpoints,
  ...mcpEndpoints,
];

/** Batches can be sent to whatever else answers. */
const targets = batchTargetsOf(OTHER_ENDPOINTS);

/** Every operation, in whatever wire format. */
export const ALL_ENDPOINTS: readonly Endpoint[] = [
  ...OTHER_ENDPOINTS,
  ...[trunklineDialect, openAiDialect].flatMap((dialect) => [
    ...fileEndpoints(dialect.prefix, dialect),
    ...batchEndpoints(dialect.prefix, dialect, targets),
  ]),
];
