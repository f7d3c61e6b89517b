-- Orders for credits that are paid by card. An order is written before the processor is asked, and its id is the
-- processor's idempotency key. What it has cost the ledger so far is in `card_movements`.
CREATE TABLE card_orders (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES accounts,
  kind          text NOT NULL CHECK (kind IN ('checkout', 'auto')),
  -- `mismatch`: something was paid that is not what was ordered; nothing is credited.
  state         text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'failed', 'expired', 'mismatch')),
  -- In the smallest unit of the currency, and the nano-credits that it buys.
  amount        bigint NOT NULL CHECK (amount > 0),
  currency      text NOT NULL,
  credits       bigint NOT NULL CHECK (credits > 0),
  saves_card    boolean NOT NULL DEFAULT false,
  -- The processor's names for the checkout and for the payment.
  session_id    text UNIQUE,
  payment_id    text UNIQUE,
  reason        text,
  -- The nano-credits that were taken back.
  refunded      bigint NOT NULL DEFAULT 0 CHECK (refunded >= 0),
  disputed      bigint NOT NULL DEFAULT 0 CHECK (disputed >= 0),
  dispute_state text,
  -- Raised with every change, so that what was read from the processor before another change is read again.
  version       integer NOT NULL DEFAULT 0,
  created_at    timestamptz NOT NULL DEFAULT now(),
  paid_at       timestamptz,
  checked_at    timestamptz NOT NULL DEFAULT now(),
  CHECK (refunded + disputed <= credits),
  CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
  CHECK (state = 'paid' OR refunded + disputed = 0)
);
CREATE INDEX card_orders_of_account ON card_orders (account_id, id);
CREATE INDEX card_orders_open ON card_orders (checked_at) WHERE state = 'open';
-- One automatic payment of an account runs at a time.
CREATE UNIQUE INDEX card_orders_one_auto ON card_orders (account_id) WHERE kind = 'auto' AND state = 'open';

-- The movements of the ledger that belong to an order. It is credited once.
CREATE TABLE card_movements (
  transfer_id bigint PRIMARY KEY REFERENCES ledger_transfers,
  order_id    uuid NOT NULL REFERENCES card_orders,
  kind        text NOT NULL CHECK (kind IN ('purchase', 'refund', 'dispute', 'dispute_won', 'debt'))
);
CREATE UNIQUE INDEX card_movements_one_purchase ON card_movements (order_id) WHERE kind = 'purchase';
CREATE INDEX card_movements_of_order ON card_movements (order_id);
CREATE TRIGGER card_movements_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON card_movements
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Payments that the processor reports and that belong to no order: for the operator to look at, never credited.
CREATE TABLE card_unknown_payments (
  payment_id text PRIMARY KEY,
  event_type text NOT NULL,
  amount     bigint,
  currency   text,
  reference  text,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The card that an account has left with the processor, by the processor's names for it.
CREATE TABLE saved_cards (
  account_id        uuid PRIMARY KEY REFERENCES accounts,
  customer_id       text NOT NULL,
  payment_method_id text NOT NULL,
  brand             text NOT NULL,
  last4             text NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE auto_top_ups (
  account_id      uuid PRIMARY KEY REFERENCES accounts,
  enabled         boolean NOT NULL,
  -- In nano-credits.
  threshold       bigint NOT NULL CHECK (threshold > 0),
  amount          bigint NOT NULL CHECK (amount > 0),
  monthly_ceiling bigint NOT NULL CHECK (monthly_ceiling > 0),
  -- Whether the balance was above the threshold since the last payment: each fall below it is paid for once.
  armed           boolean NOT NULL DEFAULT true,
  -- Why it was stopped by the service; null: it was not.
  stopped_reason  text,
  updated_at      timestamptz NOT NULL DEFAULT now()
);

-- What was taken back from an account: few rows among very many.
CREATE INDEX ledger_transfers_outgoing ON ledger_transfers (debit, id) WHERE kind IN ('refund', 'dispute', 'debt');
CREATE INDEX ledger_debts_open ON ledger_accounts (account_id) WHERE kind = 'debt' AND balance < 0;

-- The addresses that had their sign-up credits, as SHA-256 of the address in lower case: it outlives the person.
CREATE TABLE sign_up_credits (
  address_hash bytea PRIMARY KEY,
  -- The grant; null for people who were there before this was recorded.
  transfer_id  bigint UNIQUE REFERENCES ledger_transfers,
  created_at   timestamptz NOT NULL DEFAULT now()
);
INSERT INTO sign_up_credits (address_hash)
SELECT DISTINCT sha256(convert_to(lower(email), 'UTF8')) FROM people;
