/** Makes what belongs to some labels once: looking labels up for each request would cost more than counting it. */
export function keep<T>(make: (...labels: [string, string, string]) => T): (...labels: string[]) => T {
  const made = new Map<string, Map<string, Map<string, T>>>();
  return (one = '', two = '', three = '') => {
    const held = made.get(one)?.get(two)?.get(three);
    if (held !== undefined) return held;
    const fresh = make(one, two, three);
    const ofOne = made.get(one) ?? new Map<string, Map<string, T>>();
    const ofTwo = ofOne.get(two) ?? new Map<string, T>();
    made.set(one, ofOne.set(two, ofTwo.set(three, fresh)));
    return fresh;
  };
}
