import type { ToolChoice } from '../neutral/request.ts';
import type { Notes } from '../neutral/notes.ts';

/**
 * Tools that a vendor runs itself exist nowhere else. Agents offer them beside their own on every call: then they are
 * left out and named. A request that has only those, or that demands one, cannot be carried.
 */
export function noteHostedTools(
  hosted: readonly { readonly type: string; readonly at: string }[],
  others: number,
  choice: ToolChoice | undefined,
  chosenType: string | undefined,
  notes: Notes,
): void {
  for (const { type, at } of hosted) {
    const needed = type === chosenType || (others === 0 && choice?.mode !== 'none');
    if (needed)
      notes.refuse(
        at,
        `the tool "${type}" is run by its vendor and does not exist for this model. Leave it out.`,
      );
    notes.drop(at);
  }
}
