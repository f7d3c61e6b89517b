/** How far before a value the words stand that say what it is. */
const REACH = 48;

/** The words before a place, as far as they can be about it: not beyond the line before. */
export function wordsBefore(text: string, place: number, reach = REACH): string {
  return text.slice(Math.max(0, place - reach), place);
}

/** The words around a value. */
export function wordsAround(text: string, start: number, end: number): string {
  return `${wordsBefore(text, start)} ${text.slice(end, end + 24)}`;
}

const THINGS =
  "orders?|invoices?|rechnung|facture|pedido|auftrag|ref|reference|tickets?|cases?|tracking|shipment|parcel|isbn|issn|ean|gtin|upc|asin|doi|serial|s/n|sn|version|v|build|sku|parts?|models?|batch|lot|po|article|transaction|txn|flight|booking|timestamp|epoch|pid|port|commit|issue|bug|rev|revision|row|line|page|chapter|section|seed|hash|checksum|barcode|code|coupon|voucher|product|item|job|run|request|session|trace|span|message|rfc|iso|din|customer|client|member|cliente|client|account|konto|compte|cuenta|policy|contract|student|employee";
/** In languages that write such words as one. */
const GERMANIC_THINGS =
  "(?:kunden|auftrags|bestell|rechnungs|artikel|serien|vertrags|sendungs|mitglieds|vorgangs|akten|klant|order|ordre|kund)-?(?:nummer|nr\\.?|zeichen)";
const OF_A_THING = new RegExp(
  `(?:^|[^a-z])(?:${THINGS}|${GERMANIC_THINGS})[ _-]?(?:numbers?|num|no\\.?|nr\\.?|ids?|code|#|№)?["'\\s]{0,3}(?:[:#=]|is|was)?["'\\s#]{0,3}$`,
  "i",
);

/** Whether the words right before a number say that it is a thing's and nobody's. */
export function isOfAThing(text: string, place: number): boolean {
  return OF_A_THING.test(wordsBefore(text, place, 32));
}
