import { readTexts } from '../../shared/search-params.ts';

/** What the address of the models says. */
export interface ModelsSearch {
  /** Words that a model's name, vendor or description holds. */
  readonly find?: string;
  readonly vendor?: string;
  /** What the models are for that are shown. */
  readonly operation?: string;
  /** The group whose prices are shown. */
  readonly group?: string;
  /** The model that is shown with all that is public of it. */
  readonly model?: string;
}

export const readModelsSearch = (search: Readonly<Record<string, unknown>>): ModelsSearch =>
  readTexts(search, ['find', 'vendor', 'operation', 'group', 'model']);
