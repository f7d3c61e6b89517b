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
  override readonly name = "ApiError";
  readonly status: number;
  /** One of the types in docs/errors.md, `unreachable` where no answer came, `unreadable` where it was not ours. */
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

/** The error that a response carries, whether it has our form or comes from something in between. */
export async function errorOfResponse(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const body = parseJson(text);
  const retryAfter = response.headers.get("retry-after");
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return errorOfBody(body, {
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

/** The error of a body in our form. */
export function errorOfBody(body: unknown, answer: Omit<ErrorDetails, "type" | "body">): ApiError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  return new ApiError(textOf(error.message) ?? `The service answered with status ${answer.status}.`, {
    ...answer,
    status: answer.status === 200 && typeof error.code === "number" ? error.code : answer.status,
    type: textOf(error.type) ?? "unreadable",
    param: textOf(error.param),
    requestId: textOf(error.request_id) ?? answer.requestId,
    body,
  });
}

/** Whether it is an object that may be looked into. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
