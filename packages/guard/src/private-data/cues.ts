/** How far before a value the words stand that say what it is. */
const LABEL_REACH = 48;

/** The words before a place, as far as they can be about it: not beyond the line before. */
export function textBefore(text: string, place: number, reach = LABEL_REACH): string {
  return text.slice(Math.max(0, place - reach), place);
}

/** The words around a value. */
export function textAround(text: string, start: number, end: number): string {
  return `${textBefore(text, start)} ${text.slice(end, end + 24)}`;
}

const REFERENCE_LABELS =
  "orders?|invoices?|rechnung|facture|pedido|auftrag|ref|reference|tickets?|cases?|tracking|shipment|parcel|isbn|issn|ean|gtin|upc|asin|doi|serial|s/n|sn|version|v|build|sku|parts?|models?|batch|lot|po|article|transaction|txn|flight|booking|timestamp|epoch|pid|port|commit|issue|bug|rev|revision|row|line|page|chapter|section|seed|hash|checksum|barcode|code|coupon|voucher|product|item|job|run|request|session|trace|span|message|rfc|iso|din|customer|client|member|cliente|client|account|konto|compte|cuenta|policy|contract|student|employee";
/** In languages that write such words as one. */
const GERMANIC_REFERENCE_LABELS =
  "(?:kunden|auftrags|bestell|rechnungs|artikel|serien|vertrags|sendungs|mitglieds|vorgangs|akten|klant|order|ordre|kund)-?(?:nummer|nr\\.?|zeichen)";
const REFERENCE_LABEL = new RegExp(
  `(?:^|[^a-z])(?:${REFERENCE_LABELS}|${GERMANIC_REFERENCE_LABELS})[ _-]?(?:numbers?|num|no\\.?|nr\\.?|ids?|code|#|№)?["'\\s]{0,3}(?:[:#=]|is|was)?["'\\s#]{0,3}$`,
  "i",
);

/** Whether the words right before a number say that it is a thing's and nobody's. */
export function isReferenceNumber(text: string, place: number): boolean {
  return REFERENCE_LABEL.test(textBefore(text, place, 32));
}
