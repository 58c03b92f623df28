import type { ExportFormat, ExportKind } from '@tollgate/api';

/** Who reads an export: a customer is not shown upstreams and what they charge. */
export const AUDIENCES = ['books', 'customer'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** Which rows an export has. */
export interface ExportFilters {
  /** Booked at or after this. ISO 8601. */
  readonly from: string;
  /** Booked before this. */
  readonly to: string;
  readonly accountId: string | null;
  readonly model: string | null;
  readonly keyId: string | null;
}

/** All that the bytes of an export depend on, besides the books. */
export interface ExportPlan {
  readonly id: string;
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  readonly audience: Audience;
  readonly filters: ExportFilters;
  /** The last number of the journal that is looked at. */
  readonly watermark: number;
  readonly partRows: number;
  readonly providerName: string;
}

/** A file of an export that is complete. */
export interface ExportPart {
  readonly part: number;
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** The key of its last row; 0 when it has none. */
  readonly lastKey: number;
  /** What its rows add up to, by column. */
  readonly sums: Readonly<Record<string, string>>;
}

/** `part-00001.parquet`. */
export const partName = (part: number, format: ExportFormat): string =>
  `part-${String(part).padStart(5, '0')}.${format}`;
