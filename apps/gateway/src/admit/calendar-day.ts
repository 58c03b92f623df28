const formats = new Map<string, Intl.DateTimeFormat>();

/** The day of a moment in a time zone, such as "2026-11-21"; in UTC where the time zone is not known here. */
export function calendarDay(timeZone: string, at: number): string {
  let format = formats.get(timeZone);
  if (!format) {
    format = formatOf(timeZone) ?? dayFormat('UTC');
    formats.set(timeZone, format);
  }
  return format.format(at);
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return dayFormat(timeZone);
  } catch {
    return undefined;
  }
}

const dayFormat = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
