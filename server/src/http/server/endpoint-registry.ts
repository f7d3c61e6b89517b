import { accountEndpoints, overviewEndpoints } from "../endpoints/account/account.ts";
import { keyEndpoints } from "../endpoints/account/api-keys.ts";
import { guardrailHookEndpoints } from "../endpoints/account/guardrail-hooks.ts";
import { logSinkEndpoints } from "../endpoints/account/log-sinks.ts";
import { providerKeyEndpoints } from "../endpoints/account/provider-keys.ts";
import { retentionEndpoints } from "../endpoints/account/retention.ts";
import { safetyEndpoints, safetyPolicyEndpoints } from "../endpoints/account/safety.ts";
import { serviceAccountEndpoints } from "../endpoints/account/service-accounts.ts";
import { webhookEndpoints } from "../endpoints/account/webhooks.ts";
import { accountBudgetEndpoints } from "../endpoints/billing/account-budget.ts";
import { billingEndpoints } from "../endpoints/billing/billing.ts";
import { cardPaymentEndpoints, operatorPaymentEndpoints } from "../endpoints/billing/card-payments.ts";
import { creditRequestEndpoints, operatorCreditRequestEndpoints } from "../endpoints/billing/credit-requests.ts";
import { operatorProofEndpoints, proofEndpoints } from "../endpoints/billing/liability-proof.ts";
import { receiptEndpoints } from "../endpoints/billing/receipts.ts";
import { operatorCodeEndpoints, redeemEndpoints } from "../endpoints/billing/redeem-codes.ts";
import { operatorTokenEndpoints, tokenEndpoints } from "../endpoints/billing/token.ts";
import { transactionEndpoints } from "../endpoints/billing/transactions.ts";
import { walletEndpoints, walletLogInEndpoints } from "../endpoints/billing/wallets.ts";
import type { Endpoint } from "../endpoints/endpoint.ts";
import { auditLogEndpoints } from "../endpoints/identity/audit-log.ts";
import { invitationEndpoints } from "../endpoints/identity/invitations.ts";
import { memberEndpoints, organisationEndpoints } from "../endpoints/identity/organisation.ts";
import { personalDataEndpoints } from "../endpoints/identity/personal-data.ts";
import { profileEndpoints } from "../endpoints/identity/profile.ts";
import { logInEndpoints, sessionEndpoints } from "../endpoints/identity/sessions.ts";
import { signInMethodEndpoints } from "../endpoints/identity/sign-in-methods.ts";
import { signUpEndpoints } from "../endpoints/identity/sign-up.ts";
import { ssoLogInEndpoints } from "../endpoints/identity/sso-log-in.ts";
import { operatorSsoEndpoints, ssoSettingEndpoints } from "../endpoints/identity/sso-settings.ts";
import { batchEndpoints, createBatchTargets, fileEndpoints } from "../endpoints/inference/batches.ts";
import { cacheEndpoints, inferenceEndpoints } from "../endpoints/inference/inference.ts";
import { catalogueEndpoints, modelEndpoints } from "../endpoints/inference/models.ts";
import { operatorAccountEndpoints, operatorCustomerEndpoints } from "../endpoints/operator/accounts.ts";
import { operatorClusterEndpoints } from "../endpoints/operator/clusters.ts";
import { operatorHealthEndpoints } from "../endpoints/operator/health.ts";
import { operatorMailEndpoints } from "../endpoints/operator/mail.ts";
import { operatorModelEndpoints } from "../endpoints/operator/models.ts";
import { operatorPayoutEndpoints } from "../endpoints/operator/payouts.ts";
import { operatorSafetyEndpoints, operatorSettingEndpoints } from "../endpoints/operator/settings.ts";
import { operatorSignUpEndpoints } from "../endpoints/operator/sign-ups.ts";
import { providerEarningEndpoints } from "../endpoints/provider/earnings.ts";
import { modelImportEndpoints } from "../endpoints/provider/model-import.ts";
import { modelValidationEndpoints } from "../endpoints/provider/model-validation.ts";
import { providerModelEndpoints } from "../endpoints/provider/models.ts";
import { reconciliationEndpoints } from "../endpoints/provider/reconciliation.ts";
import { providerTrafficEndpoints } from "../endpoints/provider/traffic.ts";
import { publicPageEndpoints } from "../endpoints/public-pages.ts";
import { presetEndpoints } from "../endpoints/routing/presets.ts";
import { qualityFloorEndpoints, routingEndpoints, routingLearningEndpoints } from "../endpoints/routing/routing.ts";
import { routingReportEndpoints } from "../endpoints/routing/routing-report.ts";
import { requestEndpoints } from "../endpoints/usage/requests.ts";
import { usageEndpoints } from "../endpoints/usage/usage.ts";
import { anthropicEndpoints } from "../formats/anthropic/endpoints.ts";
import { trunklineDialect } from "../formats/dialect.ts";
import { geminiEndpoints } from "../formats/gemini/endpoints.ts";
import { mcpEndpoints } from "../formats/mcp/endpoints.ts";
import { ollamaEndpoints } from "../formats/ollama/endpoints.ts";
import { openAiCompletionEndpoints } from "../formats/openai/completions.ts";
import { openAiDialect } from "../formats/openai/dialect.ts";
import { openAiChatEndpoints, openAiOtherEndpoints } from "../formats/openai/endpoints.ts";
import { openAiModelEndpoints } from "../formats/openai/models.ts";
import { scimEndpoints } from "../formats/scim/endpoints.ts";

/** Every operation except those on batches, in the order of the API reference. */
const NON_BATCH_ENDPOINTS: readonly Endpoint[] = [
  ...inferenceEndpoints,
  ...cacheEndpoints,
  ...modelEndpoints,
  ...catalogueEndpoints,
  ...publicPageEndpoints,
  ...routingEndpoints,
  ...presetEndpoints,
  ...qualityFloorEndpoints,
  ...routingReportEndpoints,
  ...routingLearningEndpoints,
  ...usageEndpoints,
  ...overviewEndpoints,
  ...requestEndpoints,
  ...accountEndpoints,
  ...retentionEndpoints,
  ...sessionEndpoints,
  ...profileEndpoints,
  ...personalDataEndpoints,
  ...signInMethodEndpoints,
  ...signUpEndpoints,
  ...logInEndpoints,
  ...walletLogInEndpoints,
  ...ssoLogInEndpoints,
  ...organisationEndpoints,
  ...memberEndpoints,
  ...invitationEndpoints,
  ...ssoSettingEndpoints,
  ...auditLogEndpoints,
  ...billingEndpoints,
  ...accountBudgetEndpoints,
  ...creditRequestEndpoints,
  ...redeemEndpoints,
  ...tokenEndpoints,
  ...walletEndpoints,
  ...cardPaymentEndpoints,
  ...transactionEndpoints,
  ...receiptEndpoints,
  ...proofEndpoints,
  ...keyEndpoints,
  ...serviceAccountEndpoints,
  ...providerKeyEndpoints,
  ...webhookEndpoints,
  ...logSinkEndpoints,
  ...guardrailHookEndpoints,
  ...safetyEndpoints,
  ...safetyPolicyEndpoints,
  ...providerModelEndpoints,
  ...modelValidationEndpoints,
  ...modelImportEndpoints,
  ...providerTrafficEndpoints,
  ...reconciliationEndpoints,
  ...providerEarningEndpoints,
  ...operatorMailEndpoints,
  ...operatorSignUpEndpoints,
  ...operatorCreditRequestEndpoints,
  ...operatorAccountEndpoints,
  ...operatorSsoEndpoints,
  ...operatorCodeEndpoints,
  ...operatorPayoutEndpoints,
  ...operatorProofEndpoints,
  ...operatorTokenEndpoints,
  ...operatorPaymentEndpoints,
  ...operatorCustomerEndpoints,
  ...operatorClusterEndpoints,
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
  ...ollamaEndpoints,
  ...mcpEndpoints,
  ...scimEndpoints,
];

/** A batch can be sent to any of the other operations that support it. */
const batchTargets = createBatchTargets(NON_BATCH_ENDPOINTS);

/** Every operation, of all wire formats. */
export const ALL_ENDPOINTS: readonly Endpoint[] = [
  ...NON_BATCH_ENDPOINTS,
  ...[trunklineDialect, openAiDialect].flatMap((dialect) => [
    ...fileEndpoints(dialect.prefix, dialect),
    ...batchEndpoints(dialect.prefix, dialect, batchTargets),
  ]),
];
