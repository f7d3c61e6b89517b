import { crc32 } from "node:zlib";

/** The key format of one vendor: prefixes and what follows them. The formats are derived from gitleaks; see NOTICE. */
export interface KeyFormat {
  readonly prefixes: readonly string[];
  /** What follows a prefix, as a pattern of bounded length. */
  readonly body: string;
  /** The minimum entropy of what follows, in bits per character. */
  readonly entropy: number;
  /** The confidence; with a checksum, the confidence if it is right. */
  readonly weight: number;
  readonly hasValidChecksum?: (body: string) => boolean;
}

const HEX = "[a-f0-9]";
const ANY_HEX = "[a-fA-F0-9]";
const ALNUM = "[A-Za-z0-9]";
const URL_SAFE = "[A-Za-z0-9_-]";

const format = (prefixes: string, body: string, entropy = 3, weight = 0.95): KeyFormat => ({
  prefixes: prefixes.split(" "),
  body,
  entropy,
  weight,
});

const checksummed = (prefixes: string, body: string): KeyFormat => ({
  ...format(prefixes, body, 3, 0.98),
  hasValidChecksum: endsWithChecksum,
});

export const KEY_FORMATS: readonly KeyFormat[] = [
  // Clouds
  format("AKIA ASIA ABIA ACCA A3T", "[A-Z2-7]{16}|[A-Z0-9][A-Z2-7]{16}", 2.5),
  format("ABSK", "[A-Za-z0-9+/]{109,269}={0,2}"),
  format("bedrock-api-key-", "[A-Za-z0-9+/]{32,400}={0,2}"),
  format("AIza", `${URL_SAFE}{35}`),
  format("GOCSPX-", `${URL_SAFE}{28}`),
  format("ya29.", `${URL_SAFE}{40,400}`),
  format("LTAI", `${ALNUM}{20}`),
  format("dop_v1_ doo_v1_ dor_v1_", `${HEX}{64}`),
  format("HRKU-AA", `${URL_SAFE}{58}`),
  format("fo1_", `${URL_SAFE}{43}`),
  format("fm1a_ fm1r_ fm2_", "[A-Za-z0-9+/]{100,800}={0,3}"),
  format("tk-us-", "[\\w-]{48}"),
  format("nfp_", `${ALNUM}{36,46}`),
  format("sbp_", `${HEX}{40}`),
  format("v1.0-", `${HEX}{24}-${HEX}{146}`),
  // Models
  format("sk-ant-api03- sk-ant-admin01- sk-ant-oat01- sk-ant-", `${URL_SAFE}{32,160}`),
  format("sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf-", `${URL_SAFE}{20,200}`),
  format("sk-", `${ALNUM}{20,64}`, 3.3, 0.85),
  format("gsk_", `${ALNUM}{48,56}`),
  format("hf_ api_org_", "[A-Za-z]{30,40}", 3.5),
  format("r8_", `${ALNUM}{37}`),
  format("pplx-", `${ALNUM}{40,60}`),
  format("xai-", `${ALNUM}{70,90}`),
  format("fw_", `${ALNUM}{22,24}`, 3.5, 0.8),
  checksummed("tl_", `${ALNUM}{38}`),
  // Code and packages
  checksummed("ghp_ gho_ ghu_ ghs_ ghr_", `${ALNUM}{36}`),
  format("github_pat_", "\\w{60,90}"),
  format("glpat- gldt- glrt- glft- glsoat- glffct- glimt- glagent- gloas- glptt- glcbt-", "[\\w.-]{20,320}"),
  format("GR1348941", "[\\w-]{20}"),
  format("ATBB ATCTT3", "[A-Za-z0-9_=-]{24,200}"),
  format("ATATT3", "[A-Za-z0-9_=-]{100,260}"),
  checksummed("npm_", `${ALNUM}{36}`),
  format("pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw", "[\\w-]{50,1000}"),
  format("rubygems_", `${HEX}{48}`),
  format("CLOJARS_", "[a-z0-9]{60}"),
  format("oy2", "[a-z0-9]{43}", 3.5, 0.8),
  format("dckr_pat_ dckr_oat_", `${URL_SAFE}{27,40}`),
  format("AKCp", `${ALNUM}{69}`, 4),
  format("cmVmd", `${ALNUM}{59}`, 4),
  format("sgp_", "(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}"),
  format("sqp_ squ_ sqa_", `${HEX}{40}`),
  format("API-", "[A-Z0-9]{26,36}", 3.2, 0.8),
  format("pul-", `${HEX}{40}`),
  format("ico-", `${ALNUM}{32}`),
  format("lin_api_ lin_oauth_", `${ALNUM}{40,64}`),
  format("figd_ figo_", `${URL_SAFE}{40,60}`),
  format("ntn_", `[0-9]{11}${ALNUM}{35}`),
  format("secret_", `${ALNUM}{43}`, 3.8, 0.85),
  format("PMAK-", `${ANY_HEX}{24}-${ANY_HEX}{34}`),
  format("pscale_tkn_ pscale_oauth_ pscale_pw_", "[\\w=.-]{32,64}"),
  format("dp.pt. dp.st. dp.ct. dp.sa.", "[A-Za-z0-9._-]{40,80}"),
  format("hvs. hvb.", `${URL_SAFE}{24,300}`),
  format("dapi", `${HEX}{32}(?:-\\d)?`),
  format("dt0c01. dt0s01.", `${ALNUM}{24}\\.${ALNUM}{64}`, 3.5),
  format("pnu_", `${ALNUM}{36}`),
  format("rdme_", "[a-z0-9]{70}"),
  format("ops_eyJ", "[A-Za-z0-9+/]{250,2000}={0,3}"),
  format("A3-", "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
  format("sha256~", "[\\w-]{43}"),
  // Monitoring
  format("glsa_", `${ALNUM}{32}_${ANY_HEX}{8}`),
  format("glc_", "[A-Za-z0-9+/]{32,400}={0,3}"),
  format("eyJrIjoi", `${ALNUM}{70,400}={0,3}`),
  format("NRAK- NRII- NRJS- NRRA- NRAL-", "[A-Za-z0-9-]{19,42}"),
  format("sntrys_eyJ", "[A-Za-z0-9+/=_]{60,500}"),
  format("sntryu_", `${HEX}{64}`),
  format("ddp_ ddapp_", `${ALNUM}{32,60}`),
  // Messaging and mail
  format("xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd-", "[A-Za-z0-9%-]{10,250}", 2.5),
  format("xoxe.xoxb- xoxe.xoxp-", "\\d-[A-Za-z0-9]{146,180}"),
  format("xapp-", "\\d-[A-Z0-9]{6,16}-\\d{8,16}-[a-z0-9]{40,80}"),
  format("SG.", `${URL_SAFE}{16,32}\\.${URL_SAFE}{32,64}`),
  format("xkeysib- xsmtpsib-", `${HEX}{64}-[A-Za-z0-9]{16}`),
  format("key- pubkey-", `${HEX}{32}`, 3, 0.85),
  format("re_", `${ALNUM}{8}_${ALNUM}{24}`, 3.5, 0.85),
  format("SK AC", `${HEX}{32}`, 3, 0.85),
  format("EAAC EAAM EAAB EAAG", `${ALNUM}{60,400}`, 3.5),
  // Payments and shops
  format("sk_live_ rk_live_ sk_prod_ rk_prod_ whsec_", `${ALNUM}{16,120}`),
  format("sk_test_ rk_test_", `${ALNUM}{16,120}`, 3, 0.8),
  format("sq0atp- sq0csp- sq0idp-", "[\\w-]{22,60}"),
  format("EAAA", "[\\w-]{56,64}"),
  format("shpat_ shpca_ shppa_ shpss_ shptka_", `${ANY_HEX}{32}`),
  format("shippo_live_ shippo_test_", `${ANY_HEX}{40}`),
  format("EZAK EZTK", `${ALNUM}{54}`),
  format("duffel_live_ duffel_test_", `${URL_SAFE}{43}`),
  format("FLWSECK_TEST- FLWSECK-", "[a-h0-9]{12,32}(?:-X)?"),
  format("access-production- access-sandbox- access-development-", `${HEX}{8}-(?:${HEX}{4}-){3}${HEX}{12}`),
  format("plaid-", `${HEX}{30}`),
  format("tfp_", "[A-Za-z0-9_.=-]{59}"),
  format("pk.eyJ sk.eyJ", `${URL_SAFE}{40,120}\\.${URL_SAFE}{22}`),
  format("p8e-", `${ALNUM}{32}`),
  format("fio-u-", `${URL_SAFE}{64}`),
  format("sm_aat_ sm_pat_ sm_sat_", `${ALNUM}{16}`),
  format("AQVN", `${URL_SAFE}{35,38}`),
  format("dnkey-", "[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
];

const BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Whether the last six characters are the CRC-32 of the rest in base 62, as in the keys of GitHub, npm and this
 * service.
 */
function endsWithChecksum(body: string): boolean {
  let rest = crc32(body.slice(0, -6));
  let checksum = "";
  while (checksum.length < 6) {
    checksum = (BASE_62[rest % 62] ?? "") + checksum;
    rest = Math.floor(rest / 62);
  }
  return body.endsWith(checksum);
}
