/** As the `ref` of what is to be typed into or pressed first: it has the focus once it is there. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();

/** Fields of any kind that say what is wrong with them. */
const FAULTY = '[aria-invalid="true"], [data-invalid], input[data-error]';

/**
 * From now on a form that is not sent, for what is in it, puts the focus on its first faulty field: in a long one that is out
 * of sight, and who hears the page would not know.
 */
export const focusFaults = (): void =>
  document.addEventListener('submit', ({ target }) => {
    // Once the faults are drawn.
    setTimeout(() => {
      if (target instanceof HTMLFormElement) takeFocus(target.querySelector<HTMLElement>(FAULTY));
    });
  });
