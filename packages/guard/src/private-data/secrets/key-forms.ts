import { endsWithChecksum } from "./key-checksum.ts";

/** How the keys of one vendor are written: how they begin, and what follows. The forms follow the rules of gitleaks; see NOTICE. */
export interface KeyForm {
  /** Beginnings, as they are written. */
  readonly anchors: readonly string[];
  /** What follows a beginning, as a pattern of bounded length. */
  readonly body: string;
  /** The least entropy of what follows, in bits per character. */
  readonly entropy: number;
  /** How sure it is; where there is a checksum, of those that have the right one. */
  readonly weight: number;
  readonly hasRightChecksum?: (body: string) => boolean;
}

const HEX = "[a-f0-9]";
const ANY_HEX = "[a-fA-F0-9]";
const ALNUM = "[A-Za-z0-9]";
const URL_SAFE = "[A-Za-z0-9_-]";

const form = (anchors: string, body: string, entropy = 3, weight = 0.95): KeyForm => ({
  anchors: anchors.split(" "),
  body,
  entropy,
  weight,
});

const checked = (anchors: string, body: string): KeyForm => ({
  ...form(anchors, body, 3, 0.98),
  hasRightChecksum: endsWithChecksum,
});

export const KEY_FORMS: readonly KeyForm[] = [
  // Clouds
  form("AKIA ASIA ABIA ACCA A3T", "[A-Z2-7]{16}|[A-Z0-9][A-Z2-7]{16}", 2.5),
  form("ABSK", "[A-Za-z0-9+/]{109,269}={0,2}"),
  form("bedrock-api-key-", "[A-Za-z0-9+/]{32,400}={0,2}"),
  form("AIza", `${URL_SAFE}{35}`),
  form("GOCSPX-", `${URL_SAFE}{28}`),
  form("ya29.", `${URL_SAFE}{40,400}`),
  form("LTAI", `${ALNUM}{20}`),
  form("dop_v1_ doo_v1_ dor_v1_", `${HEX}{64}`),
  form("HRKU-AA", `${URL_SAFE}{58}`),
  form("fo1_", `${URL_SAFE}{43}`),
  form("fm1a_ fm1r_ fm2_", "[A-Za-z0-9+/]{100,800}={0,3}"),
  form("tk-us-", "[\\w-]{48}"),
  form("nfp_", `${ALNUM}{36,46}`),
  form("sbp_", `${HEX}{40}`),
  form("v1.0-", `${HEX}{24}-${HEX}{146}`),
  // Models
  form("sk-ant-api03- sk-ant-admin01- sk-ant-oat01- sk-ant-", `${URL_SAFE}{32,160}`),
  form("sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf-", `${URL_SAFE}{20,200}`),
  form("sk-", `${ALNUM}{20,64}`, 3.3, 0.85),
  form("gsk_", `${ALNUM}{48,56}`),
  form("hf_ api_org_", "[A-Za-z]{30,40}", 3.5),
  form("r8_", `${ALNUM}{37}`),
  form("pplx-", `${ALNUM}{40,60}`),
  form("xai-", `${ALNUM}{70,90}`),
  form("fw_", `${ALNUM}{22,24}`, 3.5, 0.8),
  checked("tl_", `${ALNUM}{38}`),
  // Code and packages
  checked("ghp_ gho_ ghu_ ghs_ ghr_", `${ALNUM}{36}`),
  form("github_pat_", "\\w{60,90}"),
  form("glpat- gldt- glrt- glft- glsoat- glffct- glimt- glagent- gloas- glptt- glcbt-", "[\\w.-]{20,320}"),
  form("GR1348941", "[\\w-]{20}"),
  form("ATBB ATCTT3", "[A-Za-z0-9_=-]{24,200}"),
  form("ATATT3", "[A-Za-z0-9_=-]{100,260}"),
  checked("npm_", `${ALNUM}{36}`),
  form("pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw", "[\\w-]{50,1000}"),
  form("rubygems_", `${HEX}{48}`),
  form("CLOJARS_", "[a-z0-9]{60}"),
  form("oy2", "[a-z0-9]{43}", 3.5, 0.8),
  form("dckr_pat_ dckr_oat_", `${URL_SAFE}{27,40}`),
  form("AKCp", `${ALNUM}{69}`, 4),
  form("cmVmd", `${ALNUM}{59}`, 4),
  form("sgp_", "(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}"),
  form("sqp_ squ_ sqa_", `${HEX}{40}`),
  form("API-", "[A-Z0-9]{26,36}", 3.2, 0.8),
  form("pul-", `${HEX}{40}`),
  form("ico-", `${ALNUM}{32}`),
  form("lin_api_ lin_oauth_", `${ALNUM}{40,64}`),
  form("figd_ figo_", `${URL_SAFE}{40,60}`),
  form("ntn_", `[0-9]{11}${ALNUM}{35}`),
  form("secret_", `${ALNUM}{43}`, 3.8, 0.85),
  form("PMAK-", `${ANY_HEX}{24}-${ANY_HEX}{34}`),
  form("pscale_tkn_ pscale_oauth_ pscale_pw_", "[\\w=.-]{32,64}"),
  form("dp.pt. dp.st. dp.ct. dp.sa.", "[A-Za-z0-9._-]{40,80}"),
  form("hvs. hvb.", `${URL_SAFE}{24,300}`),
  form("dapi", `${HEX}{32}(?:-\\d)?`),
  form("dt0c01. dt0s01.", `${ALNUM}{24}\\.${ALNUM}{64}`, 3.5),
  form("pnu_", `${ALNUM}{36}`),
  form("rdme_", "[a-z0-9]{70}"),
  form("ops_eyJ", "[A-Za-z0-9+/]{250,2000}={0,3}"),
  form("A3-", "[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
  form("sha256~", "[\\w-]{43}"),
  // Watching
  form("glsa_", `${ALNUM}{32}_${ANY_HEX}{8}`),
  form("glc_", "[A-Za-z0-9+/]{32,400}={0,3}"),
  form("eyJrIjoi", `${ALNUM}{70,400}={0,3}`),
  form("NRAK- NRII- NRJS- NRRA- NRAL-", "[A-Za-z0-9-]{19,42}"),
  form("sntrys_eyJ", "[A-Za-z0-9+/=_]{60,500}"),
  form("sntryu_", `${HEX}{64}`),
  form("ddp_ ddapp_", `${ALNUM}{32,60}`),
  // Messages and mail
  form("xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xoxd-", "[A-Za-z0-9%-]{10,250}", 2.5),
  form("xoxe.xoxb- xoxe.xoxp-", "\\d-[A-Za-z0-9]{146,180}"),
  form("xapp-", "\\d-[A-Z0-9]{6,16}-\\d{8,16}-[a-z0-9]{40,80}"),
  form("SG.", `${URL_SAFE}{16,32}\\.${URL_SAFE}{32,64}`),
  form("xkeysib- xsmtpsib-", `${HEX}{64}-[A-Za-z0-9]{16}`),
  form("key- pubkey-", `${HEX}{32}`, 3, 0.85),
  form("re_", `${ALNUM}{8}_${ALNUM}{24}`, 3.5, 0.85),
  form("SK AC", `${HEX}{32}`, 3, 0.85),
  form("EAAC EAAM EAAB EAAG", `${ALNUM}{60,400}`, 3.5),
  // Money and shops
  form("sk_live_ rk_live_ sk_prod_ rk_prod_ whsec_", `${ALNUM}{16,120}`),
  form("sk_test_ rk_test_", `${ALNUM}{16,120}`, 3, 0.8),
  form("sq0atp- sq0csp- sq0idp-", "[\\w-]{22,60}"),
  form("EAAA", "[\\w-]{56,64}"),
  form("shpat_ shpca_ shppa_ shpss_ shptka_", `${ANY_HEX}{32}`),
  form("shippo_live_ shippo_test_", `${ANY_HEX}{40}`),
  form("EZAK EZTK", `${ALNUM}{54}`),
  form("duffel_live_ duffel_test_", `${URL_SAFE}{43}`),
  form("FLWSECK_TEST- FLWSECK-", "[a-h0-9]{12,32}(?:-X)?"),
  form("access-production- access-sandbox- access-development-", `${HEX}{8}-(?:${HEX}{4}-){3}${HEX}{12}`),
  form("plaid-", `${HEX}{30}`),
  form("tfp_", "[A-Za-z0-9_.=-]{59}"),
  form("pk.eyJ sk.eyJ", `${URL_SAFE}{40,120}\\.${URL_SAFE}{22}`),
  form("p8e-", `${ALNUM}{32}`),
  form("fio-u-", `${URL_SAFE}{64}`),
  form("sm_aat_ sm_pat_ sm_sat_", `${ALNUM}{16}`),
  form("AQVN", `${URL_SAFE}{35,38}`),
  form("dnkey-", "[a-z0-9=_-]{26}-[a-z0-9=_-]{52}"),
];
