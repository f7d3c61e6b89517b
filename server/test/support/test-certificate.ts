import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const openssl = (...args: string[]) => promisify(execFile)("openssl", args);

/** The files of a certificate and its key. */
export interface CertificatePaths {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of one test, made by openssl, in a folder that is removed with it. */
export class TestAuthority {
  readonly folder: string;
  /** The authority's own certificate, in PEM form. */
  readonly ca: string;
  #made = 0;

  private constructor(folder: string, ca: string) {
    this.folder = folder;
    this.ca = ca;
  }

  static async create(): Promise<TestAuthority> {
    const folder = await mkdtemp(join(tmpdir(), "trunkline-ca-"));
    const [cert, key] = [join(folder, "ca.pem"), join(folder, "ca.key")];
    const terms = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=keyCertSign,cRLSign"];
    await openssl("req", "-x509", ...EC, "-days", "2", "-subj", "/CN=Test CA", ...terms, "-keyout", key, "-out", cert);
    return new TestAuthority(folder, await readFile(cert, "utf8"));
  }

  get caFile(): string {
    return join(this.folder, "ca.pem");
  }

  /** A new certificate for this name, for servers and for clients. */
  async issue(name: string, days = 2): Promise<CertificatePaths> {
    const file = join(this.folder, `${++this.#made}`);
    const [cert, key, request, terms] = [`${file}.pem`, `${file}.key`, `${file}.csr`, `${file}.ext`];
    await openssl("req", "-new", ...EC, "-subj", `/CN=${name}`, "-keyout", key, "-out", request);
    const names = `DNS:${name},DNS:localhost,IP:127.0.0.1`;
    await writeFile(terms, `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`);
    const by = ["-CA", this.caFile, "-CAkey", join(this.folder, "ca.key"), "-CAcreateserial"];
    await openssl("x509", "-req", "-in", request, ...by, "-days", String(days), "-extfile", terms, "-out", cert);
    return { cert, key };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
