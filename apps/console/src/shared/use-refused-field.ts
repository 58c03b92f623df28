import type { UseFormReturnType } from '@mantine/form';
import { findOwn } from '@tollgate/vocabulary';
import { ApiError } from '../api/result.ts';
import { useErrorText } from './States.tsx';
import { takeFocus } from './take-focus.ts';

/** The name of a field, or the path of one within it. */
type FieldPath<T> = (keyof T & string) | `${keyof T & string}.${string}`;

/**
 * Puts a refusal beside the field that it names, and the focus into it.
 *
 * @param fields the fields of the form by what the service calls them, or what finds one.
 * @returns what is to be told of an error, and what of it is left for the form as a whole.
 */
export function useRefusedField<T extends Record<string, unknown>>(
  form: Pick<UseFormReturnType<T>, 'setFieldError' | 'getInputNode' | 'errors'>,
  fields: Readonly<Record<string, keyof T & string>> | ((param: string) => FieldPath<T> | undefined),
) {
  const fieldOf = typeof fields === 'function' ? fields : (param: string) => findOwn(fields, param);
  const errorText = useErrorText();
  return {
    onError(error: Error): void {
      const field = error instanceof ApiError && error.param !== null ? fieldOf(error.param) : undefined;
      if (field === undefined) return;
      form.setFieldError(field, errorText(error, true));
      takeFocus(form.getInputNode(field));
    },
    general: (error: Error | null): Error | null => (Object.keys(form.errors).length === 0 ? error : null),
  };
}
