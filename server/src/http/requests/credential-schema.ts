import { isJsonText, readCloudCredential } from "@trunkline/providers/credentials/cloud-credential.ts";
import { z } from "zod";

/** A credential of a provider: a key, or a cloud's credential as JSON. A key that could break a header is none. */
export const credentialSchema = z
  .string()
  .min(1)
  .max(8_192)
  .superRefine((text, context) => {
    const cloud = isJsonText(text) ? readCloudCredential(text) : undefined;
    if (typeof cloud === "string") context.addIssue({ code: "custom", message: `is not usable. ${cloud}` });
    else if (cloud === undefined && !/^[\x21-\x7e]+$/.test(text))
      context.addIssue({ code: "custom", message: "must be printable ASCII without spaces, or JSON" });
  });
