/** What is counted on an invoice of an upstream, where it says so. */
export const INVOICE_COUNTS = ['requests', 'input_tokens', 'cached_tokens', 'output_tokens'] as const;

/** Without these an invoice cannot be compared with the books. */
export const REQUIRED_INVOICE_COLUMNS = ['day', 'model', 'amount_usd'] as const;

/** The columns of an upstream's invoice that are read, by our name of them. */
export const INVOICE_COLUMNS = [...REQUIRED_INVOICE_COLUMNS, ...INVOICE_COUNTS] as const;
export type InvoiceColumn = (typeof INVOICE_COLUMNS)[number];
