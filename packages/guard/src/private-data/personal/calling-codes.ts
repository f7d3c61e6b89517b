/** How many digits follow a country's code, as "code:fewest-most". Those not named have seven to eleven. */
const LENGTHS_BY_CALLING_CODE: ReadonlyMap<string, readonly [number, number]> = new Map(
  (
    "1:10-10 7:10-10 20:8-10 27:9-9 30:10-10 31:9-9 32:8-9 33:9-9 34:9-9 36:8-9 39:8-11 40:9-9 41:9-9 43:7-13 44:9-10 45:8-8 46:7-10 47:8-8 " +
    "48:9-9 49:7-12 51:8-9 52:10-11 53:8-8 54:10-11 55:10-11 56:9-9 57:10-10 58:10-10 60:8-10 61:9-9 62:8-12 63:10-10 64:8-10 65:8-8 66:8-9 " +
    "81:9-10 82:8-10 84:9-10 86:10-11 90:10-10 91:10-10 92:9-10 93:9-9 94:9-9 95:7-10 98:10-10 212:9-9 213:8-9 216:8-8 218:8-9 220:7-7 " +
    "221:9-9 225:8-10 226:8-8 233:9-9 234:8-10 237:9-9 243:9-9 250:9-9 251:9-9 254:9-10 255:9-9 256:9-9 260:9-9 263:8-10 351:9-9 352:6-11 353:7-10 " +
    "354:7-7 355:8-9 356:8-8 357:8-8 358:6-11 359:7-9 370:8-8 371:8-8 372:7-8 373:8-8 374:8-8 375:9-9 380:9-9 381:8-9 385:8-9 386:8-8 387:8-8 " +
    "389:8-8 420:9-9 421:9-9 502:8-8 503:8-8 504:8-8 505:8-8 506:8-8 507:7-8 591:8-8 593:8-9 595:9-9 598:8-8 852:8-8 853:8-8 855:8-9 880:8-10 " +
    "886:8-9 960:7-7 961:7-8 962:8-9 963:8-9 964:8-10 965:8-8 966:8-9 967:7-9 968:8-8 970:8-9 971:8-9 972:8-9 973:8-8 974:8-8 975:7-8 976:8-8 " +
    "977:8-10 992:9-9 994:9-9 995:9-9 996:9-9 998:9-9"
  )
    .split(" ")
    .map((entry) => {
      const [code = "", fewest = "", most = ""] = entry.split(/[:-]/);
      return [code, [Number(fewest), Number(most)]];
    }),
);

/** Whether digits that begin with a country's code are as many as that country's numbers have. */
export function hasLengthOfCountry(digits: string): boolean {
  for (const size of [1, 2, 3]) {
    const bounds = LENGTHS_BY_CALLING_CODE.get(digits.slice(0, size));
    // "+44 (0)20": the zero is for those who call from within.
    if (bounds !== undefined) return isWithin(digits.slice(size).replace(/^0/, ""), bounds);
  }
  return isWithin(digits.slice(3), [6, 11]);
}

function isWithin(digits: string, [fewest, most]: readonly [number, number]): boolean {
  return digits.length >= fewest && digits.length <= most;
}
