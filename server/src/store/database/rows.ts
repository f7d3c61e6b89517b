// Made from the migrated schema by `npm run generate:rows`. Never edit it by hand.

/** Some columns of a table's row, or all of them, as a query returns them. */
export type Row<Table extends keyof Tables, Column extends keyof Tables[Table] = keyof Tables[Table]> = Pick<
  Tables[Table],
  Column
>;

/** Every table with its columns. Infinite moments are left out: statements that can meet one give it as text or NULL. */
export interface Tables {
  readonly account_budget_alerts: {
    readonly account_id: string;
    readonly period: string;
    readonly period_start: Date;
    readonly threshold: number;
  };
  readonly account_budget_leases: {
    readonly account_id: string;
    readonly period: string;
    readonly starts_at: Date;
    readonly instance_id: string;
    readonly amount: bigint;
    readonly touched_at: Date;
  };
  readonly account_retention: {
    readonly account_id: string;
    readonly contents_days: number | null;
    readonly details_days: number | null;
    readonly responses_days: number | null;
    readonly audit_log_days: number | null;
    readonly contents_from: string;
    readonly details_from: string;
  };
  readonly accounts: {
    readonly id: string;
    readonly name: string;
    readonly provider: string;
    readonly operator: boolean;
    readonly strategy: string | null;
    readonly keeps_content: boolean;
    readonly created_at: Date;
    readonly time_zone: string;
    readonly low_balance: bigint | null;
    readonly budget_thresholds: readonly number[];
    readonly suspended_at: Date | null;
    readonly closed_at: Date | null;
    readonly weight_cost: number | null;
    readonly weight_speed: number | null;
    readonly weight_quality: number | null;
    readonly learning: string | null;
    readonly min_quality: number | null;
    readonly safety: unknown;
    readonly third_party_models: boolean;
    readonly requests_per_minute: number | null;
    readonly origins: readonly string[] | null;
    readonly presets: unknown;
    readonly sso_enforced: boolean;
    readonly data_rules: unknown;
    readonly budget_limit: bigint | null;
    readonly budget_period: string | null;
    readonly alert_email: boolean;
    readonly left_at: Date | null;
  };
  readonly acme_accounts: {
    readonly directory: string;
    readonly key_box: Buffer;
    readonly created_at: Date;
  };
  readonly acme_certificates: {
    readonly name: string;
    readonly chain: string | null;
    readonly key_box: Buffer | null;
    readonly failures: number;
    readonly next_order_at: Date;
    readonly leased_by: string | null;
    readonly leased_until: Date | null;
  };
  readonly acme_challenges: {
    readonly token: string;
    readonly certificate: string;
    readonly kind: string;
    readonly domain: string;
    readonly key_authorization: string;
    readonly expires_at: Date;
  };
  readonly alert_mails: {
    readonly id: string;
    readonly account_id: string;
    readonly person_id: string;
    readonly type: string;
    readonly body: string;
    readonly attempts: number;
    readonly next_attempt_at: Date;
  };
  readonly api_key_secrets: {
    readonly hash: Buffer;
    readonly key_id: string;
    readonly hint: string;
    readonly created_at: Date;
    readonly expires_at: Date | null;
  };
  readonly api_keys: {
    readonly id: string;
    readonly account_id: string;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expires_at: Date | null;
    readonly requests_per_minute: number | null;
    readonly budget_limit: bigint | null;
    readonly budget_period: string | null;
    readonly models: readonly string[] | null;
    readonly ips: readonly string[] | null;
    readonly created_at: Date;
    readonly revoked_at: Date | null;
    readonly dashboard: boolean;
    readonly made_by: string | null;
    readonly cache_ttl_seconds: number | null;
    readonly cache_similarity: number | null;
    readonly safety: unknown;
    readonly origins: readonly string[] | null;
    readonly service_account: boolean;
    readonly data_rules: unknown;
  };
  readonly auto_top_ups: {
    readonly account_id: string;
    readonly enabled: boolean;
    readonly threshold: bigint;
    readonly amount: bigint;
    readonly monthly_ceiling: bigint;
    readonly armed: boolean;
    readonly stopped_reason: string | null;
    readonly updated_at: Date;
  };
  readonly balance_alerts: {
    readonly account_id: string;
    readonly is_low: boolean;
    readonly is_exhausted: boolean;
  };
  readonly batch_lines: {
    readonly batch_id: string;
    readonly line: number;
    readonly custom_id: string;
    readonly body: string | null;
    readonly failed: boolean | null;
    readonly result: string | null;
  };
  readonly batches: {
    readonly id: string;
    readonly account_id: string;
    readonly key_id: string;
    readonly address: string;
    readonly endpoint: string;
    readonly input_file_id: string;
    readonly output_file_id: string;
    readonly error_file_id: string;
    readonly metadata: unknown;
    readonly status: string;
    readonly errors: unknown;
    readonly total: number;
    readonly completed: number | null;
    readonly failed: number | null;
    readonly created_at: Date;
    readonly expires_at: Date;
    readonly in_progress_at: Date | null;
    readonly finalizing_at: Date | null;
    readonly completed_at: Date | null;
    readonly failed_at: Date | null;
    readonly expired_at: Date | null;
    readonly cancelling_at: Date | null;
    readonly cancelled_at: Date | null;
    readonly lease_by: string | null;
    readonly lease_until: Date | null;
    readonly not_before: Date;
    readonly pauses: number;
  };
  readonly billing_details: {
    readonly account_id: string;
    readonly company: string | null;
    readonly address: readonly string[];
    readonly country: string | null;
    readonly tax_id: string | null;
    readonly email: string | null;
  };
  readonly budget_alerts: {
    readonly key_id: string;
    readonly period: string;
    readonly period_start: Date;
    readonly threshold: number;
    readonly total_limit: bigint;
  };
  readonly budget_leases: {
    readonly key_id: string;
    readonly period: string;
    readonly starts_at: Date;
    readonly instance_id: string;
    readonly amount: bigint;
    readonly touched_at: Date;
  };
  readonly cached_answers: {
    readonly account_id: string;
    readonly exact: Buffer;
    readonly request_id: string;
    readonly model: string;
    readonly answer: unknown;
    readonly bytes: number;
    readonly surroundings: Buffer | null;
    readonly point: Buffer | null;
    readonly made_at: Date;
    readonly expires_at: Date;
  };
  readonly card_movements: {
    readonly transfer_id: bigint;
    readonly order_id: string;
    readonly kind: string;
  };
  readonly card_orders: {
    readonly id: string;
    readonly account_id: string;
    readonly kind: string;
    readonly state: string;
    readonly amount: bigint;
    readonly currency: string;
    readonly credits: bigint;
    readonly saves_card: boolean;
    readonly session_id: string | null;
    readonly payment_id: string | null;
    readonly reason: string | null;
    readonly refunded: bigint;
    readonly disputed: bigint;
    readonly dispute_state: string | null;
    readonly version: number;
    readonly created_at: Date;
    readonly paid_at: Date | null;
    readonly checked_at: Date;
  };
  readonly card_unknown_payments: {
    readonly payment_id: string;
    readonly event_type: string;
    readonly amount: bigint | null;
    readonly currency: string | null;
    readonly reference: string | null;
    readonly created_at: Date;
  };
  readonly cluster_identity: {
    readonly one_row: boolean;
    readonly number: number;
    readonly id: string;
    readonly home_id: string;
    readonly swept_at: Date;
    readonly mended_at: Date;
  };
  readonly cluster_transfers: {
    readonly id: string;
    readonly side: string;
    readonly kind: string;
    readonly account_id: string;
    readonly amount: bigint;
    readonly other: number;
    readonly transfer_id: bigint;
    readonly arrived_at: Date | null;
    readonly created_at: Date;
  };
  readonly clusters: {
    readonly number: number;
    readonly id: string;
    readonly added_at: Date;
  };
  readonly conversation_items: {
    readonly conversation_id: string;
    readonly position: number;
    readonly account_id: string;
    readonly id: string;
    readonly item: Buffer;
  };
  readonly conversations: {
    readonly id: string;
    readonly account_id: string;
    readonly metadata: Buffer;
    readonly next_position: number;
    readonly bytes: number;
    readonly created_at: Date;
    readonly expires_at: Date;
  };
  readonly credit_requests: {
    readonly id: string;
    readonly account_id: string;
    readonly person_id: string | null;
    readonly message: string;
    readonly state: string;
    readonly amount: bigint | null;
    readonly reply: string | null;
    readonly created_at: Date;
    readonly decided_at: Date | null;
  };
  readonly deeds: {
    readonly id: string;
    readonly account_id: string;
    readonly actor: string;
    readonly actor_id: string | null;
    readonly actor_name: string;
    readonly action: string;
    readonly subject_id: string | null;
    readonly subject_name: string | null;
    readonly details: unknown;
    readonly address: string | null;
    readonly created_at: Date;
  };
  readonly deposit_references: {
    readonly account_id: string;
    readonly reference: string;
  };
  readonly directory_group_members: {
    readonly group_id: string;
    readonly user_id: string;
  };
  readonly directory_groups: {
    readonly id: string;
    readonly account_id: string;
    readonly display_name: string;
    readonly external_id: string | null;
    readonly created_at: Date;
    readonly changed_at: Date;
  };
  readonly directory_users: {
    readonly id: string;
    readonly account_id: string;
    readonly person_id: string | null;
    readonly user_name: string;
    readonly external_id: string | null;
    readonly email: string;
    readonly display_name: string | null;
    readonly given_name: string | null;
    readonly family_name: string | null;
    readonly active: boolean;
    readonly created_at: Date;
    readonly changed_at: Date;
  };
  readonly door_tallies: {
    readonly key: Buffer;
    readonly forgotten_at: Date;
  };
  readonly earnings_progress: {
    readonly one_row: boolean;
    readonly before_seal: bigint;
    readonly last_seal: bigint;
  };
  readonly email_domains: {
    readonly account_id: string;
    readonly domain: string;
    readonly token: string;
    readonly verified_at: Date | null;
    readonly verified_by: string | null;
    readonly created_at: Date;
  };
  readonly endpoint_states: {
    readonly model_id: string;
    readonly figures: unknown;
    readonly called_ms: number;
    readonly stand: unknown;
    readonly changed_ms: number;
    readonly paused_ms: number;
    readonly written_at: Date;
  };
  readonly external_identities: {
    readonly account_id: string;
    readonly issuer: string;
    readonly subject: string;
    readonly person_id: string;
    readonly created_at: Date;
  };
  readonly files: {
    readonly id: string;
    readonly account_id: string;
    readonly name: string;
    readonly purpose: string;
    readonly content: Buffer | null;
    readonly created_at: Date;
    readonly expires_at: Date;
    readonly media_type: string | null;
    readonly bytes: number | null;
  };
  readonly guardrail_hooks: {
    readonly id: string;
    readonly account_id: string;
    readonly url: string;
    readonly may_dial_private: boolean;
    readonly sides: readonly string[];
    readonly timeout_ms: number;
    readonly on_failure: string;
    readonly sealed_secret: Buffer;
    readonly description: string;
    readonly enabled: boolean;
    readonly created_at: Date;
    readonly stream_mode: string;
    readonly section_characters: number;
  };
  readonly idempotency_keys: {
    readonly account_id: string;
    readonly path: string;
    readonly key: string;
    readonly fingerprint: Buffer;
    readonly instance_id: string;
    readonly request_id: string;
    readonly answer: unknown;
    readonly created_at: Date;
  };
  readonly identity_providers: {
    readonly id: string;
    readonly account_id: string;
    readonly name: string;
    readonly issuer: string;
    readonly client_id: string;
    readonly sealed_secret: Buffer | null;
    readonly scopes: readonly string[];
    readonly groups_claim: string;
    readonly role_rules: unknown;
    readonly default_role: string | null;
    readonly created_at: Date;
  };
  readonly instances: {
    readonly id: string;
    readonly lock_key: bigint;
    readonly started_at: Date;
  };
  readonly invitations: {
    readonly id: string;
    readonly account_id: string;
    readonly email: string;
    readonly role: string;
    readonly hash: Buffer;
    readonly invited_by: string | null;
    readonly created_at: Date;
    readonly expires_at: Date;
    readonly accepted_at: Date | null;
    readonly revoked_at: Date | null;
    readonly letters: number;
    readonly sent_at: Date;
  };
  readonly learnt_by_all: {
    readonly model: string;
    readonly domain: string;
    readonly accounts: number;
    readonly weight: number;
    readonly surplus: number;
    readonly version: bigint;
  };
  readonly learnt_lengths: {
    readonly model: string;
    readonly task: string;
    readonly domain: string;
    readonly weight: number;
    readonly log_sum: number;
    readonly version: bigint;
    readonly updated_at: Date;
  };
  readonly learnt_outcomes: {
    readonly account_id: string;
    readonly model: string;
    readonly domain: string;
    readonly weight: number;
    readonly surplus: number;
    readonly lends: boolean;
    readonly version: bigint;
    readonly updated_at: Date;
  };
  readonly learnt_version: {
    readonly version: bigint;
  };
  readonly ledger_accounts: {
    readonly id: bigint;
    readonly kind: string;
    readonly account_id: string | null;
    readonly instance_id: string | null;
    readonly balance: bigint;
  };
  readonly ledger_checkpoint_balances: {
    readonly checkpoint: bigint;
    readonly account: bigint;
    readonly balance: bigint;
  };
  readonly ledger_checkpoints: {
    readonly id: bigint;
    readonly seal: bigint;
    readonly seal_digest: Buffer;
    readonly last_transfer: bigint;
    readonly audited_at: Date;
  };
  readonly ledger_seals: {
    readonly id: bigint;
    readonly ids: string;
    readonly transfers: bigint;
    readonly digest: Buffer;
    readonly last_id: bigint;
    readonly xid: string;
    readonly settled: bigint;
    readonly sealed_at: Date;
  };
  readonly ledger_transfers: {
    readonly id: bigint;
    readonly kind: string;
    readonly debit: bigint;
    readonly credit: bigint;
    readonly amount: bigint;
    readonly request_id: string | null;
    readonly memo: string | null;
    readonly created_at: Date;
  };
  readonly liability_nodes: {
    readonly proof_id: bigint;
    readonly level: number;
    readonly place: bigint;
    readonly hash: Buffer;
    readonly sum: bigint;
    readonly account_id: string | null;
  };
  readonly liability_proofs: {
    readonly id: bigint;
    readonly night: Date | null;
    readonly made_at: Date;
    readonly secret: Buffer;
    readonly root: Buffer;
    readonly total: bigint;
    readonly accounts: bigint;
  };
  readonly log_sinks: {
    readonly id: string;
    readonly account_id: string;
    readonly kind: string;
    readonly url: string;
    readonly region: string | null;
    readonly access_key_id: string | null;
    readonly sealed_secret: Buffer;
    readonly may_dial_private: boolean;
    readonly with_content: boolean;
    readonly share: number;
    readonly description: string;
    readonly enabled: boolean;
    readonly last_error: string | null;
    readonly last_error_at: Date | null;
    readonly created_at: Date;
  };
  readonly members: {
    readonly account_id: string;
    readonly person_id: string;
    readonly role: string;
    readonly key_id: string;
    readonly created_at: Date;
  };
  readonly model_checks: {
    readonly model_id: string;
    readonly passed: boolean;
    readonly findings: unknown;
    readonly checked_at: Date;
  };
  readonly model_outages: {
    readonly model_id: string;
    readonly why: string;
    readonly since: Date;
  };
  readonly model_quarters: {
    readonly model_id: string;
    readonly quarter: Date;
    readonly calls: bigint;
    readonly failures: bigint;
    readonly answered_ms: bigint;
    readonly first_parts: bigint;
    readonly first_part_ms: bigint;
    readonly output_tokens: bigint;
    readonly streamed_tokens: bigint;
    readonly streamed_ms: bigint;
  };
  readonly models: {
    readonly id: string;
    readonly account_id: string;
    readonly provider: string;
    readonly name: string;
    readonly type: string;
    readonly description: string;
    readonly endpoint: string;
    readonly auth_type: string;
    readonly sealed_credential: Buffer | null;
    readonly may_dial_private: boolean;
    readonly capabilities: readonly string[];
    readonly specialties: readonly string[];
    readonly avg_latency_ms: number | null;
    readonly accuracy_score: number | null;
    readonly cost_efficiency: string | null;
    readonly streaming: boolean;
    readonly context_window: number | null;
    readonly max_output_tokens: number | null;
    readonly backups: readonly string[];
    readonly limits: unknown;
    readonly state: string;
    readonly declared: boolean;
    readonly created_at: Date;
    readonly deleted_at: Date | null;
    readonly blocked_reason: string | null;
    readonly wire: string;
    readonly upstream_model: string | null;
    readonly discovered: boolean;
    readonly batch_discount: number;
    readonly weight: number;
    readonly canary_share: number | null;
    readonly data_claim: unknown;
  };
  readonly one_time_tokens: {
    readonly hash: Buffer;
    readonly purpose: string;
    readonly person_id: string | null;
    readonly data: unknown;
    readonly created_at: Date;
    readonly expires_at: Date;
  };
  readonly passkeys: {
    readonly id: string;
    readonly person_id: string;
    readonly name: string;
    readonly public_key: Buffer;
    readonly counter: bigint;
    readonly transports: readonly string[];
    readonly backed_up: boolean;
    readonly created_at: Date;
    readonly last_used_at: Date | null;
  };
  readonly payouts: {
    readonly id: string;
    readonly account_id: string;
    readonly amount: bigint;
    readonly method: string;
    readonly destination: string;
    readonly state: string;
    readonly reference: string | null;
    readonly begun_transfer: bigint;
    readonly ended_transfer: bigint | null;
    readonly created_at: Date;
    readonly approved_at: Date | null;
    readonly ended_at: Date | null;
    readonly chain_id: bigint | null;
    readonly units: string | null;
    readonly sender: string | null;
    readonly sender_nonce: bigint | null;
    readonly raw_transaction: string | null;
    readonly transaction: string | null;
  };
  readonly people: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly password_hash: string | null;
    readonly email_verified_at: Date | null;
    readonly sealed_totp: Buffer | null;
    readonly totp_confirmed_at: Date | null;
    readonly totp_last_step: bigint | null;
    readonly created_at: Date;
  };
  readonly placements: {
    readonly account_id: string;
    readonly cluster: number;
    readonly past: readonly number[];
    readonly moved_at: Date;
  };
  readonly price_versions: {
    readonly id: bigint;
    readonly model_id: string;
    readonly input_per_million: bigint;
    readonly output_per_million: bigint;
    readonly per_image: bigint;
    readonly per_request: bigint;
    readonly created_at: Date;
    readonly cached_input_per_million: bigint | null;
    readonly per_second: bigint;
    readonly cache_write_per_million: bigint | null;
    readonly own_key: boolean;
    readonly effective_at: Date | null;
  };
  readonly probe_turns: {
    readonly place: number;
    readonly taken_at: Date;
  };
  readonly provider_earnings: {
    readonly request_id: string;
    readonly leg: number;
    readonly account_id: string;
    readonly provider: string;
    readonly model: string;
    readonly gross: bigint;
    readonly fee_ppm: number;
    readonly net: bigint;
    readonly transfer_id: bigint | null;
    readonly earned_at: Date;
  };
  readonly provider_keys: {
    readonly id: string;
    readonly account_id: string;
    readonly provider: string;
    readonly sealed_key: Buffer;
    readonly hint: string;
    readonly fallback: boolean;
    readonly created_at: Date;
  };
  readonly provider_reports: {
    readonly id: string;
    readonly account_id: string;
    readonly requests: bigint;
    readonly tokens_processed: bigint;
    readonly counted_requests: bigint;
    readonly counted_tokens: bigint;
    readonly created_at: Date;
    readonly provider: string;
    readonly model: string;
    readonly day: Date;
    readonly provisional: boolean;
    readonly flagged: boolean;
  };
  readonly provider_terms: {
    readonly account_id: string;
    readonly fee_ppm: number | null;
    readonly payout_method: string | null;
    readonly payout_destination: string | null;
    readonly destination_changed_at: Date | null;
  };
  readonly rate_windows: {
    readonly key_id: string;
    readonly version: bigint;
    readonly state: unknown;
    readonly touched_at: Date;
  };
  readonly recovery_codes: {
    readonly person_id: string;
    readonly hash: Buffer;
  };
  readonly redeem_codes: {
    readonly id: string;
    readonly hash: Buffer;
    readonly hint: string;
    readonly amount: bigint;
    readonly uses: number;
    readonly used: number;
    readonly note: string;
    readonly expires_at: Date | null;
    readonly stopped_at: Date | null;
    readonly created_at: Date;
  };
  readonly redemptions: {
    readonly code_id: string;
    readonly account_id: string;
    readonly transfer_id: bigint;
    readonly created_at: Date;
  };
  readonly request_archives: {
    readonly id: bigint;
    readonly file: string | null;
    readonly first_id: string;
    readonly last_id: string;
    readonly requests: bigint;
    readonly charged: bigint;
    readonly cost: bigint;
    readonly bytes: bigint;
    readonly sha256: Buffer;
    readonly chain: Buffer;
    readonly made_at: Date;
  };
  readonly request_feedback: {
    readonly request_id: string;
    readonly account_id: string;
    readonly score: number;
    readonly comment: string | null;
    readonly given_at: Date;
  };
  readonly request_horizon: {
    readonly one_row: boolean;
    readonly first_kept: string;
  };
  readonly request_legs: {
    readonly request_id: string;
    readonly leg: number;
    readonly provider: string;
    readonly model: string;
    readonly price_version: string;
    readonly discount: number;
    readonly input_tokens: bigint;
    readonly cached_input_tokens: bigint;
    readonly cache_write_tokens: bigint;
    readonly output_tokens: bigint;
    readonly images: number;
    readonly audio_ms: bigint;
    readonly usage_source: string;
    readonly cost: bigint;
    readonly outcome: string;
  };
  readonly requests: {
    readonly id: string;
    readonly account_id: string;
    readonly key_id: string;
    readonly path: string;
    readonly task: string;
    readonly model: string | null;
    readonly provider: string | null;
    readonly status: number;
    readonly error_type: string | null;
    readonly input_tokens: bigint;
    readonly output_tokens: bigint;
    readonly usage_source: string;
    readonly price_version: string | null;
    readonly held: bigint;
    readonly cost: bigint;
    readonly latency_ms: number;
    readonly detail: unknown;
    readonly created_at: Date;
    readonly images: number | null;
    readonly cached_input_tokens: bigint;
    readonly audio_ms: bigint;
    readonly cache_write_tokens: bigint;
    readonly discount: number;
    readonly tags: unknown;
  };
  readonly routing_outcomes: {
    readonly account_id: string;
    readonly request_id: string;
    readonly source: string;
    readonly model: string;
    readonly domain: string;
    readonly propensity: number;
    readonly predicted_quality: number;
    readonly outcome: number;
    readonly weight: number;
    readonly noted_at: Date;
  };
  readonly saved_cards: {
    readonly account_id: string;
    readonly customer_id: string;
    readonly payment_method_id: string;
    readonly brand: string;
    readonly last4: string;
    readonly created_at: Date;
  };
  readonly schema_migrations: {
    readonly version: number;
    readonly name: string;
    readonly applied_at: Date;
  };
  readonly session_models: {
    readonly account_id: string;
    readonly session: Buffer;
    readonly model: string;
    readonly expires_at: Date;
  };
  readonly sessions: {
    readonly id: string;
    readonly hash: Buffer;
    readonly person_id: string;
    readonly account_id: string;
    readonly address: string;
    readonly agent: string;
    readonly created_at: Date;
    readonly last_seen_at: Date;
    readonly expires_at: Date;
    readonly sso_account_id: string | null;
  };
  readonly settings: {
    readonly name: string;
    readonly value: unknown;
  };
  readonly sign_up_credits: {
    readonly address_hash: Buffer;
    readonly transfer_id: bigint | null;
    readonly created_at: Date;
  };
  readonly signing_keys: {
    readonly name: string;
    readonly public_key: string;
    readonly sealed_key: Buffer;
    readonly created_at: Date;
  };
  readonly stored_responses: {
    readonly id: string;
    readonly account_id: string;
    readonly previous_id: string | null;
    readonly input: Buffer;
    readonly response: Buffer;
    readonly bytes: number;
    readonly created_at: Date;
    readonly expires_at: Date;
  };
  readonly token_deposits: {
    readonly id: string;
    readonly chain_id: bigint;
    readonly tx_hash: string;
    readonly log_index: number;
    readonly contract: string;
    readonly treasury: string;
    readonly block_number: bigint;
    readonly block_hash: string;
    readonly sender: string;
    readonly reference: string | null;
    readonly units: string;
    readonly received: string;
    readonly token_decimals: number;
    readonly rate: string | null;
    readonly amount: bigint | null;
    readonly state: string;
    readonly note: string | null;
    readonly account_id: string | null;
    readonly transfer_id: bigint | null;
    readonly by_operator: boolean;
    readonly created_at: Date;
    readonly credited_at: Date | null;
  };
  readonly token_pending: {
    readonly chain_id: bigint;
    readonly contract: string;
    readonly treasury: string;
    readonly tx_hash: string;
    readonly log_index: number;
    readonly block_number: bigint;
    readonly sender: string;
    readonly reference: string | null;
    readonly units: string;
  };
  readonly token_scans: {
    readonly chain_id: bigint;
    readonly contract: string;
    readonly treasury: string;
    readonly next_block: bigint;
    readonly block_hash: string | null;
    readonly head_block: bigint | null;
    readonly final_block: bigint | null;
    readonly leased_by: string | null;
    readonly leased_until: Date | null;
    readonly read_at: Date | null;
  };
  readonly token_unexplained: {
    readonly chain_id: bigint;
    readonly contract: string;
    readonly treasury: string;
    readonly from_block: bigint;
    readonly to_block: bigint;
    readonly units: string;
  };
  readonly usage_account_quarters: {
    readonly account_id: string;
    readonly quarter: Date;
    readonly requests: bigint;
    readonly errors: bigint;
    readonly input_tokens: bigint;
    readonly output_tokens: bigint;
    readonly cost: bigint;
  };
  readonly usage_closed: {
    readonly until: Date;
  };
  readonly usage_days: {
    readonly account_id: string;
    readonly day: Date;
    readonly key_id: string;
    readonly model: string;
    readonly provider: string;
    readonly task: string;
    readonly requests: bigint;
    readonly errors: bigint;
    readonly input_tokens: bigint;
    readonly output_tokens: bigint;
    readonly cost: bigint;
  };
  readonly usage_quarters: {
    readonly account_id: string;
    readonly quarter: Date;
    readonly key_id: string;
    readonly model: string;
    readonly provider: string;
    readonly task: string;
    readonly requests: bigint;
    readonly errors: bigint;
    readonly input_tokens: bigint;
    readonly output_tokens: bigint;
    readonly cost: bigint;
    readonly instance_id: string;
    readonly latency_ms: number | null;
  };
  readonly wallets: {
    readonly address: string;
    readonly account_id: string;
    readonly person_id: string | null;
    readonly name: string;
    readonly created_at: Date;
  };
  readonly webhook_deliveries: {
    readonly id: string;
    readonly webhook_id: string;
    readonly event_id: string;
    readonly type: string;
    readonly body: string;
    readonly attempts: number;
    readonly last_attempt_at: Date | null;
    readonly last_status: number | null;
    readonly last_error: string | null;
    readonly next_attempt_at: Date | null;
    readonly delivered_at: Date | null;
    readonly created_at: Date;
  };
  readonly webhooks: {
    readonly id: string;
    readonly account_id: string;
    readonly url: string;
    readonly may_dial_private: boolean;
    readonly events: readonly string[] | null;
    readonly description: string;
    readonly enabled: boolean;
    readonly disabled_reason: string | null;
    readonly failing_since: Date | null;
    readonly sealed_secret: Buffer;
    readonly sealed_old_secret: Buffer | null;
    readonly old_secret_ends_at: Date | null;
    readonly created_at: Date;
  };
  readonly workload_trusts: {
    readonly id: string;
    readonly account_id: string;
    readonly key_id: string;
    readonly name: string;
    readonly issuer: string;
    readonly audience: string;
    readonly conditions: unknown;
    readonly lifetime_seconds: number;
    readonly created_at: Date;
    readonly last_used_at: Date | null;
  };
  readonly x402_payers: {
    readonly address: string;
    readonly account_id: string;
  };
  readonly x402_payments: {
    readonly id: string;
    readonly account_id: string;
    readonly chain_id: bigint;
    readonly asset: string;
    readonly payer: string;
    readonly nonce: string;
    readonly units: string;
    readonly amount: bigint;
    readonly valid_before: Date;
    readonly authorisation: unknown;
    readonly instance_id: string;
    readonly state: string;
    readonly credit_transfer: bigint;
    readonly void_transfer: bigint | null;
    readonly lost_transfer: bigint | null;
    readonly sender: string | null;
    readonly sender_nonce: bigint | null;
    readonly raw_transaction: string | null;
    readonly transaction: string | null;
    readonly created_at: Date;
    readonly ended_at: Date | null;
    readonly closed_at: Date | null;
    readonly head_block: bigint;
  };
}
