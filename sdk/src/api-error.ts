interface ErrorDetails {
  readonly status: number;
  readonly type: string;
  readonly param?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly body?: unknown;
}

/** A call that was refused or did not arrive. `status` is 0 where no answer came at all. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly status: number;
  /** One of the types in docs/errors.md; `unreachable`, `timeout` or `cut_off` where no answer or only a part of one came; `unreadable` where it was not ours. */
  readonly type: string;
  /** The field at fault. */
  readonly param: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The answer's body as it came. */
  readonly body: unknown;

  constructor(message: string, details: ErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.status = details.status;
    this.type = details.type;
    this.param = details.param;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.body = details.body;
  }
}

/** The request is wrong: 400, 413, 415 or 422. `param` names the field. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError";
}

/** The key is missing, unknown, revoked or expired: 401. */
export class AuthenticationError extends ApiError {
  override readonly name = "AuthenticationError";
}

/** The balance or a budget does not suffice: 402. */
export class InsufficientFundsError extends ApiError {
  override readonly name = "InsufficientFundsError";
}

/** The key may not do this: 403. */
export class PermissionDeniedError extends ApiError {
  override readonly name = "PermissionDeniedError";
}

/** The safety check refused the input or the answer. */
export class UnsafeContentError extends ApiError {
  override readonly name = "UnsafeContentError";

  /** Why, such as `injection`. */
  get categories(): readonly string[] {
    const { categories } = errorOf(this.body);
    return Array.isArray(categories) ? categories.filter((category) => typeof category === "string") : [];
  }
}

/** There is no such thing: 404. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError";
}

/** It contradicts what is there, or the same request still runs: 409. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError";
}

/** Too many requests: 429. `retryAfterSeconds` says how long to wait. */
export class RateLimitError extends ApiError {
  override readonly name = "RateLimitError";
}

/** The service or every provider failed: 5xx. */
export class ServiceError extends ApiError {
  override readonly name = "ServiceError";
}

/** No answer came, or it broke off in the middle. */
export class ConnectionError extends ApiError {
  override readonly name: string = "ConnectionError";
}

/** No answer came in time. */
export class RequestTimeoutError extends ConnectionError {
  override readonly name = "RequestTimeoutError";
}

const BY_STATUS: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientFundsError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
};

const BY_TYPE: Readonly<Record<string, typeof ApiError>> = {
  budget_exceeded: InsufficientFundsError,
  unsafe_input: UnsafeContentError,
  unsafe_output: UnsafeContentError,
};

/** The error that a response carries, whether it has our form or comes from something in between. */
export async function errorOfResponse(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const retryAfter = response.headers.get("retry-after");
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return errorOfBody(parseJson(text), {
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

/** The error of a body in our form or in OpenAI's, which has our type as its `code`. */
export function errorOfBody(body: unknown, answer: Omit<ErrorDetails, "type" | "body">): ApiError {
  const error = errorOf(body);
  const status = answer.status === 200 && typeof error.code === "number" ? error.code : answer.status;
  const type = textOf(error.code) ?? textOf(error.type) ?? "unreadable";
  const Kind = BY_TYPE[type] ?? BY_STATUS[status] ?? (status >= 500 ? ServiceError : ApiError);
  return new Kind(textOf(error.message) ?? `The service answered with status ${answer.status}.`, {
    ...answer,
    status,
    type,
    param: textOf(error.param),
    requestId: textOf(error.request_id) ?? answer.requestId,
    body,
  });
}

/** Whether it is an object that may be looked into. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function errorOf(body: unknown): Record<string, unknown> {
  return isRecord(body) && isRecord(body.error) ? body.error : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's page or an empty answer: the status says enough.
    return undefined;
  }
}
