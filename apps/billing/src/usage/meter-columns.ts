import { isUnitKind, METER_KINDS, type MeterKind } from '@tollgate/vocabulary';

/** The column of a kind of token or unit, in the usage log and wherever that is summed. */
export type MeterColumn = `tokens_${MeterKind}` | `units_${MeterKind}`;

export const findMeterColumn = (kind: MeterKind): MeterColumn =>
  isUnitKind(kind) ? `units_${kind}` : `tokens_${kind}`;

export const METER_COLUMNS: readonly MeterColumn[] = METER_KINDS.map(findMeterColumn);
