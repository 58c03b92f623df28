/** Formatters of `Intl`. To make one costs about as much as to use it a hundred times, and a table uses the same for every row. */

function madeOnce<O extends object, F>(make: (locale: string, options: O) => F) {
  const made = new Map<string, F>();
  return (locale: string, options: O): F => {
    const name = `${locale} ${JSON.stringify(options)}`;
    const known = made.get(name);
    if (known !== undefined) return known;
    const format = make(locale, options);
    made.set(name, format);
    return format;
  };
}

export const numberFormat = madeOnce(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);

export const timeFormat = madeOnce(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);

export const agoFormat = madeOnce(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);
