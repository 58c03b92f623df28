import { formatUsd } from '@tollgate/money';
import { VERSION } from '@tollgate/platform/process';
import { addSums } from './column-sums.ts';
import { type ExportColumn, typeName } from './columns.ts';
import type { ExportPart, ExportPlan } from './export-job.ts';
import { FOCUS_VERSION } from './focus/focus-columns.ts';

/** Raised with every change of columns or of how values are written. */
const FORMAT_VERSION = 6;
/** What writes the files: other versions may give other bytes for the same rows. */
const GENERATOR = {
  name: 'tollgate-billing',
  version: VERSION,
  hyparquet_writer: '0.17.0',
  zstd: process.versions['zstd'],
};

/** A manifest names one format and one generator: what others have written does not go with these. */
export const WRITTEN_BY = JSON.stringify({ format_version: FORMAT_VERSION, ...GENERATOR });

/**
 * Says what is in an export, in JSON. It names no time and no job, so that the same filters and watermark give the same
 * manifest.
 */
export function toManifest(
  plan: ExportPlan,
  columns: readonly ExportColumn[],
  parts: readonly ExportPart[],
  accountsSha256: string | null,
): string {
  const sums = addSums(
    columns,
    parts.map((part) => part.sums),
  );
  const manifest = {
    format_version: FORMAT_VERSION,
    generator: GENERATOR,
    kind: plan.kind,
    format: plan.format,
    audience: plan.audience,
    filters: {
      from: plan.filters.from,
      to: plan.filters.to,
      account_id: plan.filters.accountId,
      model: plan.filters.model,
      key_id: plan.filters.keyId,
    },
    watermark: plan.watermark,
    part_rows: plan.partRows,
    ...(plan.kind === 'focus'
      ? {
          focus_version: FOCUS_VERSION,
          provider_name: plan.providerName,
          accounts_sha256: accountsSha256,
        }
      : {}),
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    sums: sumsShown(columns, sums),
    columns: columns.map((column) => ({
      name: column.name,
      type: typeName(column),
      nullable: column.nullable ?? false,
    })),
    files: parts.map(({ name, rows, bytes, sha256, sums: own }) => ({
      name,
      rows,
      bytes,
      sha256,
      sums: sumsShown(columns, own),
    })),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Amounts in USD and, beside them, in whole pico-USD; everything else in digits. */
const sumsShown = (
  columns: readonly ExportColumn[],
  sums: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    columns
      .filter(({ summed }) => summed)
      .flatMap(({ name, type }) => {
        const sum = sums[name] ?? '0';
        if (type !== 'usd') return [[name, sum]];
        return [
          [name, formatUsd(BigInt(sum))],
          [`${name.replace(/_usd$/, '')}_pico`, sum],
        ];
      }),
  );
