/** As the `ref` of what is to be typed into or pressed first: it has the focus once it is there. */
export const takeFocus = (element: HTMLElement | null): void => element?.focus();
