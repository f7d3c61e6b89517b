/** Rules for the audit log: phrases that need not be judged may be anybody's words, and only their number is told. */
export function auditSafeRules<Rules extends { readonly allow_list?: readonly string[] | undefined }>(
  rules: Rules,
): Omit<Rules, "allow_list"> & { readonly allow_list?: number } {
  const { allow_list: phrases, ...told } = rules;
  return phrases === undefined ? told : { ...told, allow_list: phrases.length };
}
