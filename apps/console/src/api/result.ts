/** A refusal of the relay's own API; `param` names the field that is wrong, `code` what to do about it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    readonly param: string | null = null,
    readonly code: string | null = null,
    /** The figures and names that go with the code. */
    readonly values: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** What a call of the generated client gives. */
interface Result<T> {
  readonly data?: T | undefined;
  readonly error?: unknown;
  readonly response?: Response | undefined;
}

/**
 * The body of a call of the generated client.
 *
 * @throws ApiError for a refusal, with status 0 where nothing answered.
 */
export async function read<T>(call: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (response?.ok) return data as T;
  throw toApiError(response?.status ?? 0, error);
}

/** Reads the envelope `{"error": {"message", "param"}}`; what has another form keeps its status. */
export function toApiError(status: number, body: unknown): ApiError {
  const envelope = isRecord(body) ? body['error'] : undefined;
  const { message, param, code, values } = isRecord(envelope) ? envelope : {};
  return new ApiError(
    status,
    typeof message === 'string' ? message : '',
    typeof param === 'string' ? param : null,
    typeof code === 'string' ? code : null,
    isRecord(values) ? values : {},
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
