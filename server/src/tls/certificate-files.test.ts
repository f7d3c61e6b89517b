import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestAuthority } from "../../test/support/test-certificate.ts";
import { readCertificate } from "./certificate.ts";
import { CertificateFiles } from "./certificate-files.ts";

let authority: TestAuthority;

beforeAll(async () => {
  authority = await TestAuthority.create();
});
afterAll(() => authority.remove());

describe("a certificate out of files", () => {
  it("says until when it is valid, and never shows its key", async () => {
    const { cert, key } = await authority.issue("a.test", 10);
    const certificate = readCertificate(await readFile(cert, "utf8"), await readFile(key, "utf8"));
    expect((certificate.validTo - certificate.validFrom) / 86_400_000).toBeCloseTo(10, 1);
    expect(JSON.stringify(certificate)).not.toContain("PRIVATE KEY");
  });

  it("refuses a start with a sentence where the files are missing, unreadable or don't belong together", async () => {
    const [one, other] = await Promise.all([authority.issue("one.test"), authority.issue("other.test")]);
    const open = (certFile: string, keyFile: string) =>
      CertificateFiles.open({ certFile, keyFile, onWarning: () => undefined });
    await expect(open(one.cert, other.key)).rejects.toThrow("The key is not the certificate's");
    await expect(open(one.key, one.key)).rejects.toThrow("holds no certificate in PEM form");
    await expect(open(one.cert, one.cert)).rejects.toThrow("The key can't be read");
    await expect(open(join(authority.folder, "none"), one.key)).rejects.toThrow(/TRUNKLINE_TLS_CERT .*ENOENT/);
  });
});
