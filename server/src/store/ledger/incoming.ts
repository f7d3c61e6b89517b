/**
 * Whatever came into the account `$1` from outside, with its receipt's number. Movements draw their ids while they hold the
 * lock on where credits come from, so that none is ever put in front of another: numbers have no gaps and never change.
 * The year is that of UTC, as an account's own zone may change.
 */
export const INCOMING_CREDITS = `SELECT transfer_id, kind, amount, memo, created_at,
    format('TL-%s-%s', year, lpad(place::text, greatest(4, length(place::text)), '0')) AS number
  FROM (
    SELECT id AS transfer_id, kind, amount, memo, created_at, year, row_number() OVER (PARTITION BY year ORDER BY id) AS place
    FROM (
      SELECT t.*, extract(year FROM t.created_at AT TIME ZONE 'UTC')::int AS year
      FROM ledger_accounts c JOIN ledger_transfers t ON t.credit = c.id
      WHERE c.kind = 'customer' AND c.account_id = $1 AND t.kind NOT IN ('lease', 'lease_return', 'charge')
    ) AS dated
  ) AS placed`;
