import type { UseFormReturnType } from '@mantine/form';
import { rebase } from '../../shared/rebase.ts';

/** Whose change stands where two made one. */
export type Choice = 'mine' | 'theirs';

/**
 * Puts what somebody else made meanwhile into a form. What is gone, or was not there when one began to type, has nothing to be
 * put on: it stays as it was typed.
 *
 * @param theirs the form of what there is now; undefined where there is nothing any more
 * @param isNew whether one began with nothing
 */
export function decide<T extends object>(
  form: UseFormReturnType<T>,
  choice: Choice,
  theirs: T | undefined,
  isNew: boolean,
): void {
  if (theirs === undefined) return;
  const begun = form.getInitialValues();
  const typed = form.getValues();
  form.setInitialValues(theirs);
  if (choice === 'theirs') form.setValues(theirs);
  else if (!isNew) form.setValues(rebase(begun, typed, theirs));
}
