import { accountEndpoints } from "../endpoints/account/account.ts";
import { keyEndpoints } from "../endpoints/account/api-keys.ts";
import { overviewEndpoints } from "../endpoints/account/overview.ts";
import { providerKeyEndpoints } from "../endpoints/account/provider-keys.ts";
import { safetyEndpoints } from "../endpoints/account/safety.ts";
import { safetyPolicyEndpoints } from "../endpoints/account/safety-policy.ts";
import { webhookEndpoints } from "../endpoints/account/webhooks.ts";
import { billingEndpoints } from "../endpoints/billing/billing.ts";
import { operatorCodeEndpoints, redeemEndpoints } from "../endpoints/billing/codes.ts";
import { receiptEndpoints } from "../endpoints/billing/receipts.ts";
import { transactionEndpoints } from "../endpoints/billing/transactions.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { auditLogEndpoints } from "../endpoints/identity/audit-log.ts";
import { invitationEndpoints } from "../endpoints/identity/invitations.ts";
import { logInEndpoints } from "../endpoints/identity/log-in.ts";
import { memberEndpoints } from "../endpoints/identity/members.ts";
import { organisationEndpoints } from "../endpoints/identity/organisation.ts";
import { profileEndpoints } from "../endpoints/identity/profile.ts";
import { sessionEndpoints } from "../endpoints/identity/session.ts";
import { signInMethodEndpoints } from "../endpoints/identity/sign-in-methods.ts";
import { signUpEndpoints } from "../endpoints/identity/sign-up.ts";
import { createBatchTargets } from "../endpoints/inference/batch-targets.ts";
import { batchEndpoints } from "../endpoints/inference/batches.ts";
import { cacheEndpoints } from "../endpoints/inference/cache.ts";
import { catalogueEndpoints } from "../endpoints/inference/catalogue.ts";
import { fileEndpoints } from "../endpoints/inference/files.ts";
import { inferenceEndpoints } from "../endpoints/inference/inference.ts";
import { modelEndpoints } from "../endpoints/inference/models.ts";
import { operatorAccountEndpoints } from "../endpoints/operator/admin.ts";
import { operatorCustomerEndpoints } from "../endpoints/operator/customers.ts";
import { operatorHealthEndpoints } from "../endpoints/operator/health.ts";
import { operatorModelEndpoints } from "../endpoints/operator/models.ts";
import { operatorSafetyEndpoints } from "../endpoints/operator/operator-safety.ts";
import { operatorSettingEndpoints } from "../endpoints/operator/operator-settings.ts";
import { modelValidationEndpoints } from "../endpoints/provider/model-validation.ts";
import { providerModelEndpoints } from "../endpoints/provider/models.ts";
import { reconciliationEndpoints } from "../endpoints/provider/reconciliation.ts";
import { providerTrafficEndpoints } from "../endpoints/provider/traffic.ts";
import { routingEndpoints } from "../endpoints/routing/routing.ts";
import { qualityFloorEndpoints } from "../endpoints/routing/routing-floor.ts";
import { routingLearningEndpoints } from "../endpoints/routing/routing-learning.ts";
import { routingReportEndpoints } from "../endpoints/routing/routing-report.ts";
import { requestEndpoints } from "../endpoints/usage/requests.ts";
import { usageEndpoints } from "../endpoints/usage/usage.ts";
import { anthropicEndpoints } from "../formats/anthropic/endpoints.ts";
import { trunklineDialect } from "../formats/dialect.ts";
import { geminiEndpoints } from "../formats/gemini/endpoints.ts";
import { mcpEndpoints } from "../formats/mcp/endpoints.ts";
import { openAiCompletionEndpoints } from "../formats/openai/completions--endpoints.ts";
import { openAiDialect } from "../formats/openai/dialect.ts";
import { openAiChatEndpoints } from "../formats/openai/endpoints.ts";
import { openAiModelEndpoints } from "../formats/openai/models.ts";
import { openAiOtherEndpoints } from "../formats/openai/other-endpoints.ts";

/** Every operation but those on batches, in the order of the reference. */
const NON_BATCH_ENDPOINTS: readonly Endpoint[] = [
  ...inferenceEndpoints,
  ...cacheEndpoints,
  ...modelEndpoints,
  ...catalogueEndpoints,
  ...routingEndpoints,
  ...qualityFloorEndpoints,
  ...routingReportEndpoints,
  ...routingLearningEndpoints,
  ...usageEndpoints,
  ...overviewEndpoints,
  ...requestEndpoints,
  ...accountEndpoints,
  ...sessionEndpoints,
  ...profileEndpoints,
  ...signInMethodEndpoints,
  ...signUpEndpoints,
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
  ...providerModelEndpoints,
  ...modelValidationEndpoints,
  ...providerTrafficEndpoints,
  ...reconciliationEndpoints,
  ...operatorAccountEndpoints,
  ...operatorCodeEndpoints,
  ...operatorCustomerEndpoints,
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
const batchTargets = createBatchTargets(NON_BATCH_ENDPOINTS);

/** Every operation, in whatever wire format. */
export const ALL_ENDPOINTS: readonly Endpoint[] = [
  ...NON_BATCH_ENDPOINTS,
  ...[trunklineDialect, openAiDialect].flatMap((dialect) => [
    ...fileEndpoints(dialect.prefix, dialect),
    ...batchEndpoints(dialect.prefix, dialect, batchTargets),
  ]),
];
