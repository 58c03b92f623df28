/** The cookie of the console's sessions. */
export const SESSION_COOKIE = 'tollgate_session';

/**
 * Its name over https: a browser takes it from this very host only, over https and for all paths (RFC 6265bis), so that no
 * neighbour under the same domain plants another. Plain HTTP, as on one's own machine, has no such cookies.
 */
const HOST_COOKIE = `__Host-${SESSION_COOKIE}`;

/**
 * A Cookie header with the session's cookie under its plain name, whatever the browser calls it. Over https what comes under
 * the plain name is somebody else's; a service that was not told of the proxy before it takes https for http.
 */
export function withPlainName(header: string, isHttps: boolean): string {
  const pairs = header.split(';').map((pair) => pair.trim());
  if (!isHttps && pairs.some((pair) => nameOf(pair) === SESSION_COOKIE)) return header;
  return pairs
    .filter((pair) => nameOf(pair) !== SESSION_COOKIE)
    .map((pair) =>
      nameOf(pair) === HOST_COOKIE ? pair.slice(HOST_COOKIE.length - SESSION_COOKIE.length) : pair,
    )
    .join('; ');
}

/** A Set-Cookie header as it is sent over https. */
export const withHostName = (setCookie: string): string =>
  nameOf(setCookie) === SESSION_COOKIE ? `__Host-${setCookie}` : setCookie;

const nameOf = (pair: string): string => (pair.split('=', 1)[0] ?? '').trim();
