/**
 * Prompts and outputs stand last in the JSON of a record's detail. Within a JSON text quotes are escaped, so that this can only
 * be their field. PostgreSQL's JSON functions would fail on escapes that a provider may have sent.
 */
export const CONTENT_MARK = `',"content":{"input":'`;

/** The same detail without the prompt and the output. */
export const WITHOUT_CONTENT = (detail: string) =>
  `(CASE WHEN strpos(${detail}::text, ${CONTENT_MARK}) > 0 THEN left(${detail}::text, strpos(${detail}::text, ${CONTENT_MARK}) - 1) || '}' ELSE ${detail}::text END)::json`;
