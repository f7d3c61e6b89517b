import type { Queryable } from "../database/database.ts";

/** What a conformance check of a model saw, and when. */
export interface ModelCheck {
  readonly passed: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly verdict: "pass" | "warn" | "fail";
    readonly message: string;
  }[];
  readonly checkedAt: Date;
}

interface CheckRow {
  model_id: string;
  passed: boolean;
  findings: ModelCheck["findings"];
  checked_at: Date;
}

/** Keeps a model's last check, in the place of the one before. */
export async function saveModelCheck(
  connection: Queryable,
  modelId: string,
  check: ModelCheck,
): Promise<void> {
  await connection.query(
    `INSERT INTO model_checks AS c (model_id, passed, findings, checked_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (model_id) DO UPDATE SET passed = EXCLUDED.passed, findings = EXCLUDED.findings, checked_at = EXCLUDED.checked_at
     WHERE c.checked_at <= EXCLUDED.checked_at`,
    [modelId, check.passed, JSON.stringify(check.findings), check.checkedAt],
  );
}

/** The last checks of some models, by the models' ids. */
export async function findModelChecks(
  connection: Queryable,
  modelIds: readonly string[],
): Promise<Map<string, ModelCheck>> {
  const rows = await connection.query<CheckRow>(
    "SELECT * FROM model_checks WHERE model_id = ANY ($1::uuid[])",
    [modelIds],
  );
  return new Map(
    rows.map((row) => [
      row.model_id,
      { passed: row.passed, findings: row.findings, checkedAt: row.checked_at },
    ]),
  );
}
