/**
 * Goes on with what may be there already. Where it is, nothing waits: an `await` of a value, and an async function around it,
 * make a promise each, which a request would pay for.
 *
 * @returns what `next` returns, or a promise of it.
 */
export const andThen = <T, Next>(
  value: T | Promise<T>,
  next: (value: T) => Next | Promise<Next>,
): Next | Promise<Next> => (value instanceof Promise ? value.then(next) : next(value));
