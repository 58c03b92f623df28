import type { FormEvent, ReactNode } from 'react';
import type { Model, Published } from '../../api/catalogue.ts';
import type { Change } from '../../api/drafts.ts';
import type { Seen } from './changes.ts';
import type { Choice } from './use-decision.ts';

/** What the form of one kind of entry is given. */
export interface EntryFormProps {
  /** What the form was opened with. */
  readonly live: Published;
  readonly changes: readonly Change[];
  /** Names that a new entry may not take. */
  readonly taken: ReadonlySet<string>;
  readonly name: string;
  /** What a new model begins with. */
  readonly suggested: Partial<Model> | undefined;
  readonly onSave: (change: Change) => void;
  /** The form around its fields, with what stands below them. */
  readonly frame: (
    onSubmit: (event: FormEvent<HTMLFormElement>) => void,
    fields: ReactNode,
    onDecide: (choice: Choice, now: Seen) => void,
  ) => ReactNode;
}
