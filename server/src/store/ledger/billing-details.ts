import type { BillingDetails } from "../../ledger/billing/billing-details.ts";
import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

type DetailsRow = Omit<Row<"billing_details">, "account_id">;

/** Billing details in PostgreSQL. */
export class PostgresBillingDetails {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(accountId: string): Promise<BillingDetails | undefined> {
    const rows = await this.#database.query<DetailsRow>(
      "SELECT company, address, country, tax_id, email FROM billing_details WHERE account_id = $1",
      [accountId],
    );
    return rows[0] && detailsOf(rows[0]);
  }

  /** A field that is absent stays as it is; a field that is present and undefined is deleted. */
  async change(accountId: string, change: Partial<BillingDetails>): Promise<BillingDetails> {
    const rows = await this.#database.query<DetailsRow>(
      `INSERT INTO billing_details AS d (account_id, company, address, country, tax_id, email)
       VALUES ($1, $3::text, coalesce($5::text[], '{}'), $7::text, $9::text, $11::text)
       ON CONFLICT (account_id) DO UPDATE SET
         company = CASE WHEN $2::boolean THEN EXCLUDED.company ELSE d.company END,
         address = CASE WHEN $4::boolean THEN EXCLUDED.address ELSE d.address END,
         country = CASE WHEN $6::boolean THEN EXCLUDED.country ELSE d.country END,
         tax_id = CASE WHEN $8::boolean THEN EXCLUDED.tax_id ELSE d.tax_id END,
         email = CASE WHEN $10::boolean THEN EXCLUDED.email ELSE d.email END
       RETURNING company, address, country, tax_id, email`,
      [
        accountId,
        "company" in change,
        change.company ?? null,
        change.address !== undefined,
        change.address ?? null,
        "country" in change,
        change.country ?? null,
        "taxId" in change,
        change.taxId ?? null,
        "email" in change,
        change.email ?? null,
      ],
    );
    if (rows[0] === undefined) throw new Error("The store kept no billing details.");
    return detailsOf(rows[0]);
  }
}

function detailsOf(row: DetailsRow): BillingDetails {
  return {
    company: row.company ?? undefined,
    address: row.address,
    country: row.country ?? undefined,
    taxId: row.tax_id ?? undefined,
    email: row.email ?? undefined,
  };
}
