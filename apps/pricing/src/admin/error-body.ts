const TYPES: Readonly<Record<number, string>> = { 401: 'authentication_error', 403: 'permission_error', 429: 'rate_limit_error' };

/** An error in the shape that all HTTP APIs of the service share. */
export function errorBody(status: number, message: string, param: string | null = null): object {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error');
  return { error: { message, type, param, code: status === 429 ? 'rate_limit_exceeded' : null } };
}
