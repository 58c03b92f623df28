// The thread that writes exports reads this, and nothing of Nest.
import { column } from '@tollgate/platform/sql';
import { isUnitKind, METER_KINDS, type MeterKind, UNIT_KINDS, type UnitKind } from '@tollgate/vocabulary';

type UnitColumn = `units_${UnitKind}`;
/** The column of a kind of token or unit, in the usage log and wherever that is summed. */
export type MeterColumn = `tokens_${MeterKind}` | UnitColumn;

export const findMeterColumn = (kind: MeterKind): MeterColumn =>
  isUnitKind(kind) ? `units_${kind}` : `tokens_${kind}`;

export const METER_COLUMNS: readonly MeterColumn[] = METER_KINDS.map(findMeterColumn);
/** Hours have these, and of tokens those of each side in one. */
export const UNIT_COLUMNS: readonly UnitColumn[] = UNIT_KINDS.map((kind) => `units_${kind}` as const);

/** What a row with these columns is read by. */
export const toCountFields = <C extends MeterColumn>(names: readonly C[]): Record<C, typeof column.bigint> =>
  Object.fromEntries(names.map((name) => [name, column.bigint])) as Record<C, typeof column.bigint>;
