export interface ListColumn {
  readonly id: ColumnId;
  readonly width: string;
  /** As the service orders by it. */
  readonly sort?: string;
  readonly isShownLater?: boolean;
  /** It is always there. */
  readonly card?: 'title';
  /** Where there is room for few. */
  readonly isWideOnly?: boolean;
  /** Of who served a request, and what that cost. */
  readonly isOfServing?: boolean;
}

export type ColumnId =
  | 'time'
  | 'model'
  | 'key'
  | 'input'
  | 'output'
  | 'latency'
  | 'outcome'
  | 'id'
  | 'upstream'
  | 'margin'
  | 'cost';

const COLUMNS: readonly ListColumn[] = [
  { id: 'time', width: '8.5rem', sort: 'time', card: 'title' },
  { id: 'model', width: 'minmax(7rem, 1.4fr)' },
  { id: 'key', width: 'minmax(6rem, 1fr)', isWideOnly: true },
  { id: 'input', width: '5rem', sort: 'input' },
  { id: 'output', width: '5rem', sort: 'output' },
  { id: 'latency', width: '5.5rem', sort: 'latency', isWideOnly: true },
  { id: 'outcome', width: '10.5rem', sort: 'status', isWideOnly: true },
  { id: 'id', width: 'minmax(6rem, 1fr)', isWideOnly: true, isShownLater: true },
  { id: 'upstream', width: 'minmax(6rem, 1fr)', isWideOnly: true, isShownLater: true, isOfServing: true },
  { id: 'margin', width: '7rem', isWideOnly: true, isShownLater: true, isOfServing: true },
  { id: 'cost', width: 'minmax(7.5rem, auto)', sort: 'cost' },
];

const COLUMNS_OF_CUSTOMERS = COLUMNS.filter(({ isOfServing }) => !isOfServing);

/** What the log may show to somebody. */
export const listColumns = (showsServing: boolean): readonly ListColumn[] =>
  showsServing ? COLUMNS : COLUMNS_OF_CUSTOMERS;

/** The columns of a grid. */
export const toTemplate = (columns: readonly ListColumn[]): string =>
  columns.map(({ width }) => width).join(' ');
