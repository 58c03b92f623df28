/** Where to go after signing in: a path of this console, never another site. */
export function nextPath(candidate: unknown): string | undefined {
  if (typeof candidate !== 'string' || !/^\/(?![/\\])/.test(candidate)) return undefined;
  const url = URL.parse(candidate, 'https://console.invalid');
  if (url?.host !== 'console.invalid' || url.pathname === '/sign-in') return undefined;
  // "/..//other.example" is a path here, and another site wherever it is followed.
  if (/^\/[/\\]/.test(url.pathname)) return undefined;
  return url.pathname + url.search + url.hash;
}
