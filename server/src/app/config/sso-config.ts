import { z } from "zod";

/** The variables of single sign-on. */
export const ssoVariables = {
  TRUNKLINE_PRIVATE_ISSUERS: z
    .string()
    .transform((text) => text.split(",").map((issuer) => issuer.trim()))
    .refine(
      (issuers) => issuers.every((issuer) => /^https?:\/\/[^\s?#]+$/.test(issuer) && URL.canParse(issuer)),
      "must be issuers with commas between them, such as https://login.example.internal/realms/staff",
    )
    .default([]),
};
