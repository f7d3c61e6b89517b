// Made from the table of operations by `npm run sdk:types`. Never edit it by hand.

export type Error = {
  error: {
    /** A sentence that says what to do. */
    message: string;
    /** The HTTP status. */
    code: number;
    type: "invalid_request" | "context_length_exceeded" | "previous_response_not_found" | "request_rejected" | "missing_api_key" | "invalid_api_key" | "invalid_session" | "invalid_login" | "payment_required" | "insufficient_balance" | "budget_exceeded" | "insufficient_scope" | "insufficient_role" | "cross_site" | "account_suspended" | "recent_login_needed" | "sso_required" | "sign_up_closed" | "data_rules_unmet" | "unsafe_input" | "unsafe_output" | "not_found" | "model_not_found" | "invalid_code" | "method_not_allowed" | "request_timeout" | "idempotency_in_progress" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "check_failed" | "rate_limited" | "internal" | "provider_error" | "no_model_available" | "overloaded" | "unavailable" | "provider_timeout";
    /** The field at fault. */
    param?: string | undefined;
    request_id: string;
    /** Why the safety check refused. */
    categories?: readonly string[] | undefined;
    /** Where in the text that stands. */
    spans?: readonly {
      category: string;
      /** An offset into the input's or the answer's text. */
      start: number;
      /** The same, exclusive. */
      end: number;
    }[] | undefined;
    attempts?: readonly {
      model: string;
      reason: string;
      ms: number;
    }[] | undefined;
    /** What was charged although the answer is an error, in credits. */
    cost?: number | undefined;
  };
};

export type OpenAIError = {
  error: {
    /** A sentence that says what to do. */
    message: string;
    type: "invalid_request_error" | "authentication_error" | "permission_error" | "not_found_error" | "conflict_error" | "rate_limit_error" | "insufficient_quota" | "server_error";
    /** The field at fault. */
    param: string | null;
    /** The type of the error in the list of errors, docs/errors.md. */
    code: "invalid_request" | "context_length_exceeded" | "previous_response_not_found" | "request_rejected" | "missing_api_key" | "invalid_api_key" | "invalid_session" | "invalid_login" | "payment_required" | "insufficient_balance" | "budget_exceeded" | "insufficient_scope" | "insufficient_role" | "cross_site" | "account_suspended" | "recent_login_needed" | "sso_required" | "sign_up_closed" | "data_rules_unmet" | "unsafe_input" | "unsafe_output" | "not_found" | "model_not_found" | "invalid_code" | "method_not_allowed" | "request_timeout" | "idempotency_in_progress" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "check_failed" | "rate_limited" | "internal" | "provider_error" | "no_model_available" | "overloaded" | "unavailable" | "provider_timeout";
    /** Why the safety check refused. */
    categories?: readonly string[] | undefined;
    /** Where in the text that stands. */
    spans?: readonly {
      category: string;
      /** An offset into the input's or the answer's text. */
      start: number;
      /** The same, exclusive. */
      end: number;
    }[] | undefined;
    attempts?: readonly {
      model: string;
      reason: string;
      ms: number;
    }[] | undefined;
    /** What was charged although the answer is an error, in credits. */
    cost?: number | undefined;
  };
};

export type AnthropicError = {
  type: "error";
  error: {
    type: "invalid_request_error" | "authentication_error" | "billing_error" | "permission_error" | "not_found_error" | "conflict_error" | "request_too_large" | "rate_limit_error" | "timeout_error" | "api_error" | "overloaded_error";
    /** A sentence that says what to do. */
    message: string;
    /** What Trunkline knows beyond Anthropic's own form. */
    details: {
      /** The type of the error in the list of errors, docs/errors.md. */
      error_code: string;
      /** The field at fault. */
      param?: string | undefined;
      /** Why the safety check refused. */
      categories?: readonly string[] | undefined;
      /** Where in the text that stands. */
      spans?: readonly {
        category: string;
        /** An offset into the input's or the answer's text. */
        start: number;
        /** The same, exclusive. */
        end: number;
      }[] | undefined;
      attempts?: readonly {
        model: string;
        reason: string;
        ms: number;
      }[] | undefined;
      /** What was charged although the answer is an error, in credits. */
      cost?: number | undefined;
    };
  };
  request_id: string;
};

export type GeminiError = {
  error: {
    /** The HTTP status. */
    code: number;
    /** A sentence that says what to do. */
    message: string;
    /** Google's word for it, such as INVALID_ARGUMENT. */
    status: string;
    details: readonly ({
      "@type": "type.googleapis.com/google.rpc.ErrorInfo";
      /** The type of the error in the list of errors, docs/errors.md. */
      reason: "invalid_request" | "context_length_exceeded" | "previous_response_not_found" | "request_rejected" | "missing_api_key" | "invalid_api_key" | "invalid_session" | "invalid_login" | "payment_required" | "insufficient_balance" | "budget_exceeded" | "insufficient_scope" | "insufficient_role" | "cross_site" | "account_suspended" | "recent_login_needed" | "sso_required" | "sign_up_closed" | "data_rules_unmet" | "unsafe_input" | "unsafe_output" | "not_found" | "model_not_found" | "invalid_code" | "method_not_allowed" | "request_timeout" | "idempotency_in_progress" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "check_failed" | "rate_limited" | "internal" | "provider_error" | "no_model_available" | "overloaded" | "unavailable" | "provider_timeout";
      domain: "trunkline";
      metadata: Record<string, string>;
    } | {
      "@type": "type.googleapis.com/google.rpc.RetryInfo";
      retryDelay: string;
    })[];
  };
};

export type OllamaError = {
  /** A sentence that says what to do. */
  error: string;
  /** The type of the error in the list of errors, docs/errors.md. Ollama has no such field. */
  code: "invalid_request" | "context_length_exceeded" | "previous_response_not_found" | "request_rejected" | "missing_api_key" | "invalid_api_key" | "invalid_session" | "invalid_login" | "payment_required" | "insufficient_balance" | "budget_exceeded" | "insufficient_scope" | "insufficient_role" | "cross_site" | "account_suspended" | "recent_login_needed" | "sso_required" | "sign_up_closed" | "data_rules_unmet" | "unsafe_input" | "unsafe_output" | "not_found" | "model_not_found" | "invalid_code" | "method_not_allowed" | "request_timeout" | "idempotency_in_progress" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "check_failed" | "rate_limited" | "internal" | "provider_error" | "no_model_available" | "overloaded" | "unavailable" | "provider_timeout";
  /** The field at fault. */
  param?: string | undefined;
  /** Why the safety check refused. */
  categories?: readonly string[] | undefined;
  /** Where in the text that stands. */
  spans?: readonly {
    category: string;
    /** An offset into the input's or the answer's text. */
    start: number;
    /** The same, exclusive. */
    end: number;
  }[] | undefined;
  attempts?: readonly {
    model: string;
    reason: string;
    ms: number;
  }[] | undefined;
  /** What was charged although the answer is an error, in credits. */
  cost?: number | undefined;
};

export type McpError = {
  jsonrpc: "2.0";
  id: null | string | number;
  error: {
    code: number;
    /** A sentence that says what to do. */
    message: string;
    data: {
      type: "invalid_request" | "context_length_exceeded" | "previous_response_not_found" | "request_rejected" | "missing_api_key" | "invalid_api_key" | "invalid_session" | "invalid_login" | "payment_required" | "insufficient_balance" | "budget_exceeded" | "insufficient_scope" | "insufficient_role" | "cross_site" | "account_suspended" | "recent_login_needed" | "sso_required" | "sign_up_closed" | "data_rules_unmet" | "unsafe_input" | "unsafe_output" | "not_found" | "model_not_found" | "invalid_code" | "method_not_allowed" | "request_timeout" | "idempotency_in_progress" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "check_failed" | "rate_limited" | "internal" | "provider_error" | "no_model_available" | "overloaded" | "unavailable" | "provider_timeout";
      /** The field at fault. */
      param?: string | undefined;
      request_id: string;
    };
  };
};

export type ScimError = {
  schemas: readonly string[];
  status: string;
  scimType?: string | undefined;
  detail: string;
  /** The type of the error, as the rest of the service names it. */
  type: string;
};

/** Every operation under /v1, and chats: what it takes, what it answers, and the events of an answer that is streamed. */
export interface Operations {
  /** Send a task and an input, get an output */
  "POST /v1/ai/request": {
    params: undefined;
    query: undefined;
    body: {
      /** Kind of work, for example chat, text-generation, code, summarization, image. */
      task: string;
      /** The prompt or content to process. */
      input: string;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      /** `cascade`: the cheapest model first, and a better one where its answer fails `check`. */
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | "cascade" | undefined;
      /** What an answer must be like; only with `route: cascade`. */
      check?: {
        /** The answer, read as JSON, must meet it. At most 64 KiB. */
        json_schema?: Record<string, unknown> | undefined;
        /** The answer must hold a match. RE2's syntax. */
        regex?: string | undefined;
        /** In characters. */
        min_length?: number | undefined;
        /** Asked in any case. */
        non_empty?: boolean | undefined;
      } | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
        /** With `speed: fast`: ask a second model where the first takes longer than usual. */
        hedge?: boolean | undefined;
        /** Where the request may be processed: countries by ISO 3166, `eu` or `eea`. */
        data_regions?: readonly string[] | undefined;
        /** For how many days a provider may keep its data; 0: not at all. */
        data_retention_days?: number | undefined;
      } | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      /** Requests of one session stay with one model while it serves them. */
      session?: string | undefined;
      /** false: an answer that breaks off in the middle is not continued by another model. */
      continue?: boolean | undefined;
      /** With `speed: fast`: ask a second model where the first takes longer than usual. */
      hedge?: boolean | undefined;
      /** Whether the answer may be one that was given before, at no cost; false: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike the last words must be; true: 0.95. */
        similarity?: number | boolean | undefined;
      } | false | undefined;
      /** The client's own tags, by which requests and usage can be found: up to 16 names with a text each. */
      tags?: Record<string, string> | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
        /** Where the model can make as many. */
        dimensions?: number | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        top_p?: string | number | boolean | null | undefined;
        /** A whole number from 1. Any other value goes to the provider unchanged. */
        top_k?: string | number | boolean | null | undefined;
        /** A string. Any other value goes to the provider unchanged. */
        stop?: string | number | boolean | null | undefined;
        /** A whole number. Any other value goes to the provider unchanged. */
        seed?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        frequency_penalty?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        presence_penalty?: string | number | boolean | null | undefined;
        /** One of none, minimal, low, medium, high, xhigh. Any other value goes to the provider unchanged. */
        reasoning_effort?: string | number | boolean | null | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
    };
    answer: {
      output: string;
      model_used: string;
      cost: number;
    };
  };
  /** Generate, in the client libraries' form */
  "POST /v1/generate": {
    params: undefined;
    query: undefined;
    body: {
      /** Kind of work, for example chat, text-generation, code, summarization, image. */
      task?: string | undefined;
      /** The prompt or content to process. */
      input: string;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      /** `cascade`: the cheapest model first, and a better one where its answer fails `check`. */
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | "cascade" | undefined;
      /** What an answer must be like; only with `route: cascade`. */
      check?: {
        /** The answer, read as JSON, must meet it. At most 64 KiB. */
        json_schema?: Record<string, unknown> | undefined;
        /** The answer must hold a match. RE2's syntax. */
        regex?: string | undefined;
        /** In characters. */
        min_length?: number | undefined;
        /** Asked in any case. */
        non_empty?: boolean | undefined;
      } | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
        /** With `speed: fast`: ask a second model where the first takes longer than usual. */
        hedge?: boolean | undefined;
        /** Where the request may be processed: countries by ISO 3166, `eu` or `eea`. */
        data_regions?: readonly string[] | undefined;
        /** For how many days a provider may keep its data; 0: not at all. */
        data_retention_days?: number | undefined;
      } | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      /** Requests of one session stay with one model while it serves them. */
      session?: string | undefined;
      /** false: an answer that breaks off in the middle is not continued by another model. */
      continue?: boolean | undefined;
      /** With `speed: fast`: ask a second model where the first takes longer than usual. */
      hedge?: boolean | undefined;
      /** Whether the answer may be one that was given before, at no cost; false: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike the last words must be; true: 0.95. */
        similarity?: number | boolean | undefined;
      } | false | undefined;
      /** The client's own tags, by which requests and usage can be found: up to 16 names with a text each. */
      tags?: Record<string, string> | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
        /** Where the model can make as many. */
        dimensions?: number | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        top_p?: string | number | boolean | null | undefined;
        /** A whole number from 1. Any other value goes to the provider unchanged. */
        top_k?: string | number | boolean | null | undefined;
        /** A string. Any other value goes to the provider unchanged. */
        stop?: string | number | boolean | null | undefined;
        /** A whole number. Any other value goes to the provider unchanged. */
        seed?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        frequency_penalty?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        presence_penalty?: string | number | boolean | null | undefined;
        /** One of none, minimal, low, medium, high, xhigh. Any other value goes to the provider unchanged. */
        reasoning_effort?: string | number | boolean | null | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
    };
    answer: {
      output: string | Record<string, unknown>;
      model: string;
      usage: {
        input_tokens: number;
        output_tokens: number;
      };
      latency_ms: number;
    };
  };
  /** Generate, and read the answer as it comes */
  "POST /v1/stream": {
    params: undefined;
    query: undefined;
    body: {
      /** Kind of work, for example chat, text-generation, code, summarization, image. */
      task?: string | undefined;
      /** The prompt or content to process. */
      input: string;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      /** `cascade`: the cheapest model first, and a better one where its answer fails `check`. */
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | "cascade" | undefined;
      /** What an answer must be like; only with `route: cascade`. */
      check?: {
        /** The answer, read as JSON, must meet it. At most 64 KiB. */
        json_schema?: Record<string, unknown> | undefined;
        /** The answer must hold a match. RE2's syntax. */
        regex?: string | undefined;
        /** In characters. */
        min_length?: number | undefined;
        /** Asked in any case. */
        non_empty?: boolean | undefined;
      } | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
        /** With `speed: fast`: ask a second model where the first takes longer than usual. */
        hedge?: boolean | undefined;
        /** Where the request may be processed: countries by ISO 3166, `eu` or `eea`. */
        data_regions?: readonly string[] | undefined;
        /** For how many days a provider may keep its data; 0: not at all. */
        data_retention_days?: number | undefined;
      } | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      /** Requests of one session stay with one model while it serves them. */
      session?: string | undefined;
      /** false: an answer that breaks off in the middle is not continued by another model. */
      continue?: boolean | undefined;
      /** With `speed: fast`: ask a second model where the first takes longer than usual. */
      hedge?: boolean | undefined;
      /** Whether the answer may be one that was given before, at no cost; false: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike the last words must be; true: 0.95. */
        similarity?: number | boolean | undefined;
      } | false | undefined;
      /** The client's own tags, by which requests and usage can be found: up to 16 names with a text each. */
      tags?: Record<string, string> | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
        /** Where the model can make as many. */
        dimensions?: number | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        top_p?: string | number | boolean | null | undefined;
        /** A whole number from 1. Any other value goes to the provider unchanged. */
        top_k?: string | number | boolean | null | undefined;
        /** A string. Any other value goes to the provider unchanged. */
        stop?: string | number | boolean | null | undefined;
        /** A whole number. Any other value goes to the provider unchanged. */
        seed?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        frequency_penalty?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        presence_penalty?: string | number | boolean | null | undefined;
        /** One of none, minimal, low, medium, high, xhigh. Any other value goes to the provider unchanged. */
        reasoning_effort?: string | number | boolean | null | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
    };
    answer: {
      delta: string;
    } | {
      done: true;
      /** provider/name of the model that finished the answer. */
      model: string;
      /** All models that spoke, in their order; left out where it was one. */
      models?: readonly string[] | undefined;
      usage: {
        input_tokens: number;
        output_tokens: number;
      };
      cost: number;
    };
  };
  /** Make an image */
  "POST /v1/image": {
    params: undefined;
    query: undefined;
    body: {
      /** The prompt or content to process. */
      input: string;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      /** `cascade`: the cheapest model first, and a better one where its answer fails `check`. */
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | "cascade" | undefined;
      /** What an answer must be like; only with `route: cascade`. */
      check?: {
        /** The answer, read as JSON, must meet it. At most 64 KiB. */
        json_schema?: Record<string, unknown> | undefined;
        /** The answer must hold a match. RE2's syntax. */
        regex?: string | undefined;
        /** In characters. */
        min_length?: number | undefined;
        /** Asked in any case. */
        non_empty?: boolean | undefined;
      } | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
        /** With `speed: fast`: ask a second model where the first takes longer than usual. */
        hedge?: boolean | undefined;
        /** Where the request may be processed: countries by ISO 3166, `eu` or `eea`. */
        data_regions?: readonly string[] | undefined;
        /** For how many days a provider may keep its data; 0: not at all. */
        data_retention_days?: number | undefined;
      } | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      /** Requests of one session stay with one model while it serves them. */
      session?: string | undefined;
      /** false: an answer that breaks off in the middle is not continued by another model. */
      continue?: boolean | undefined;
      /** With `speed: fast`: ask a second model where the first takes longer than usual. */
      hedge?: boolean | undefined;
      /** Whether the answer may be one that was given before, at no cost; false: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike the last words must be; true: 0.95. */
        similarity?: number | boolean | undefined;
      } | false | undefined;
      /** The client's own tags, by which requests and usage can be found: up to 16 names with a text each. */
      tags?: Record<string, string> | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
        /** Where the model can make as many. */
        dimensions?: number | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        top_p?: string | number | boolean | null | undefined;
        /** A whole number from 1. Any other value goes to the provider unchanged. */
        top_k?: string | number | boolean | null | undefined;
        /** A string. Any other value goes to the provider unchanged. */
        stop?: string | number | boolean | null | undefined;
        /** A whole number. Any other value goes to the provider unchanged. */
        seed?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        frequency_penalty?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        presence_penalty?: string | number | boolean | null | undefined;
        /** One of none, minimal, low, medium, high, xhigh. Any other value goes to the provider unchanged. */
        reasoning_effort?: string | number | boolean | null | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      /** Default 1024x1024. */
      size?: string | undefined;
    };
    answer: {
      image_url: string;
      model: string;
      cost: number;
    };
  };
  /** Speak a text */
  "POST /v1/audio": {
    params: undefined;
    query: undefined;
    body: {
      /** The prompt or content to process. */
      input: string;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      /** `cascade`: the cheapest model first, and a better one where its answer fails `check`. */
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | "cascade" | undefined;
      /** What an answer must be like; only with `route: cascade`. */
      check?: {
        /** The answer, read as JSON, must meet it. At most 64 KiB. */
        json_schema?: Record<string, unknown> | undefined;
        /** The answer must hold a match. RE2's syntax. */
        regex?: string | undefined;
        /** In characters. */
        min_length?: number | undefined;
        /** Asked in any case. */
        non_empty?: boolean | undefined;
      } | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
        /** With `speed: fast`: ask a second model where the first takes longer than usual. */
        hedge?: boolean | undefined;
        /** Where the request may be processed: countries by ISO 3166, `eu` or `eea`. */
        data_regions?: readonly string[] | undefined;
        /** For how many days a provider may keep its data; 0: not at all. */
        data_retention_days?: number | undefined;
      } | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      /** Requests of one session stay with one model while it serves them. */
      session?: string | undefined;
      /** false: an answer that breaks off in the middle is not continued by another model. */
      continue?: boolean | undefined;
      /** With `speed: fast`: ask a second model where the first takes longer than usual. */
      hedge?: boolean | undefined;
      /** Whether the answer may be one that was given before, at no cost; false: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike the last words must be; true: 0.95. */
        similarity?: number | boolean | undefined;
      } | false | undefined;
      /** The client's own tags, by which requests and usage can be found: up to 16 names with a text each. */
      tags?: Record<string, string> | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
        /** Where the model can make as many. */
        dimensions?: number | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        top_p?: string | number | boolean | null | undefined;
        /** A whole number from 1. Any other value goes to the provider unchanged. */
        top_k?: string | number | boolean | null | undefined;
        /** A string. Any other value goes to the provider unchanged. */
        stop?: string | number | boolean | null | undefined;
        /** A whole number. Any other value goes to the provider unchanged. */
        seed?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        frequency_penalty?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        presence_penalty?: string | number | boolean | null | undefined;
        /** One of none, minimal, low, medium, high, xhigh. Any other value goes to the provider unchanged. */
        reasoning_effort?: string | number | boolean | null | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      voice?: string | undefined;
      format?: string | undefined;
    };
    answer: {
      audio_url: string;
      model: string;
      cost: number;
    };
  };
  /** Make vectors of texts */
  "POST /v1/embeddings": {
    params: undefined;
    query: undefined;
    body: {
      /** One text or a list of them, each 1 to 400,000 characters. */
      input: string | readonly string[];
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      /** `cascade`: the cheapest model first, and a better one where its answer fails `check`. */
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | "cascade" | undefined;
      /** What an answer must be like; only with `route: cascade`. */
      check?: {
        /** The answer, read as JSON, must meet it. At most 64 KiB. */
        json_schema?: Record<string, unknown> | undefined;
        /** The answer must hold a match. RE2's syntax. */
        regex?: string | undefined;
        /** In characters. */
        min_length?: number | undefined;
        /** Asked in any case. */
        non_empty?: boolean | undefined;
      } | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
        /** With `speed: fast`: ask a second model where the first takes longer than usual. */
        hedge?: boolean | undefined;
        /** Where the request may be processed: countries by ISO 3166, `eu` or `eea`. */
        data_regions?: readonly string[] | undefined;
        /** For how many days a provider may keep its data; 0: not at all. */
        data_retention_days?: number | undefined;
      } | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      /** Requests of one session stay with one model while it serves them. */
      session?: string | undefined;
      /** false: an answer that breaks off in the middle is not continued by another model. */
      continue?: boolean | undefined;
      /** With `speed: fast`: ask a second model where the first takes longer than usual. */
      hedge?: boolean | undefined;
      /** Whether the answer may be one that was given before, at no cost; false: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike the last words must be; true: 0.95. */
        similarity?: number | boolean | undefined;
      } | false | undefined;
      /** The client's own tags, by which requests and usage can be found: up to 16 names with a text each. */
      tags?: Record<string, string> | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
        /** Where the model can make as many. */
        dimensions?: number | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        top_p?: string | number | boolean | null | undefined;
        /** A whole number from 1. Any other value goes to the provider unchanged. */
        top_k?: string | number | boolean | null | undefined;
        /** A string. Any other value goes to the provider unchanged. */
        stop?: string | number | boolean | null | undefined;
        /** A whole number. Any other value goes to the provider unchanged. */
        seed?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        frequency_penalty?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        presence_penalty?: string | number | boolean | null | undefined;
        /** One of none, minimal, low, medium, high, xhigh. Any other value goes to the provider unchanged. */
        reasoning_effort?: string | number | boolean | null | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      /** Where the model can make as many. */
      dimensions?: number | undefined;
    };
    answer: {
      /** In the order of the input. */
      embeddings: readonly (readonly number[])[];
      model: string;
      usage: {
        input_tokens: number;
        output_tokens: number;
      };
      cost: number;
    };
  };
  /** Drop every answer that the account's response cache keeps */
  "DELETE /v1/cache": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** How many answers there were. */
      dropped: number;
    };
  };
  /** List models */
  "GET /v1/models": {
    params: undefined;
    query: {
      type?: "text" | "image" | "audio" | "multimodal" | "embedding" | undefined;
      capability?: string | undefined;
      provider?: string | undefined;
    };
    body: undefined;
    answer: readonly {
      name: string;
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
    }[];
  };
  /** Everything public about a model */
  "GET /v1/models/{name}": {
    params: {
      name: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      name: string;
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
      providers: readonly ({
        provider: string;
        name: string;
        /** `provider/name`, the name that is unique. */
        full_name: string;
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description: string;
        state: "pending" | "probation" | "active" | "suspended" | "blocked";
        /** Called with your own key for its provider, so that the prices here are the service's fee alone. */
        own_key: boolean;
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        };
        /** A price that was announced, and from when it holds; null: none. */
        next_pricing: {
          pricing: {
            input_per_1k_tokens?: number | undefined;
            /** For input out of the provider's cache; null: as any other input. */
            cached_input_per_1k_tokens?: number | null | undefined;
            /** For input that is put into the provider's cache; null: as any other input. */
            cache_write_per_1k_tokens?: number | null | undefined;
            output_per_1k_tokens?: number | undefined;
            /** Credits; at most 9 decimals. */
            per_image?: number | undefined;
            /** Credits; at most 9 decimals. */
            per_request?: number | undefined;
            /** Credits for a second of audio, made or heard. */
            per_second?: number | undefined;
          };
          effective_at: string;
        } | null;
        /** With your own key: what the provider itself asks you, by the service's table of prices. Otherwise null. */
        provider_pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        } | null;
        capabilities: readonly string[];
        specialties: readonly string[];
        performance: {
          /** What its provider declares. */
          avg_latency_ms: number | null;
          /** What its provider declares, 0 to 1. */
          accuracy_score: number | null;
          /** The chance that its answer to an everyday question satisfies, as routing predicts it. null: it answers none. */
          predicted_quality: number | null;
        };
        cost_efficiency: string | null;
        streaming: boolean;
        context_window: number | null;
        max_output_tokens: number | null;
        /** What is claimed of what becomes of the data of requests. The service does not check it. null: nothing. */
        data: {
          /** Where requests are processed; null: nothing is claimed. */
          regions: readonly string[] | null;
          /** For how many days their data is kept; null: nothing is claimed. */
          retention_days: number | null;
          /** provider: the account that registered it. documentation: what the provider has published. */
          claimed_by: "provider" | "operator" | "documentation";
          source: string | null;
        } | null;
        /** null for the built-in models. */
        created_at: string | null;
        /** The last hour, as all instances saw it. */
        live: {
          /** Whether this instance would call it now. */
          available: boolean;
          /** left alone: it failed, became slow or asked for a pause. out of service: its provider takes no calls until its owner does something. */
          state: "up" | "left alone" | "on trial" | "coming back" | "out of service";
          out_of_service_since: string | null;
          /** Of the last answers that this instance knows of. */
          first_token_p95_ms: number | null;
          /** Of a whole answer, on average. */
          latency_ms: number | null;
          first_token_ms: number | null;
          tokens_per_second: number | null;
          error_rate: number;
          calls: number;
        };
        /** The last 24 hours by quarters of an hour, the oldest first. */
        availability: readonly {
          at: string;
          calls: number;
          failures: number;
          state: "up" | "degraded" | "down" | "no data";
          /** Of a whole answer, on average. */
          latency_ms: number | null;
          first_token_ms: number | null;
          tokens_per_second: number | null;
        }[];
      })[];
    };
  };
  /** Every model of every provider, with price, speed and availability */
  "GET /v1/catalogue": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Words that must all be found in the name, description or abilities. */
      q?: string | undefined;
      type?: "text" | "image" | "audio" | "multimodal" | "embedding" | undefined;
      capability?: string | undefined;
      provider?: string | undefined;
      sort?: "name" | "price" | "quality" | "latency" | "throughput" | "newest" | undefined;
    };
    body: undefined;
    answer: {
      data: readonly ({
        provider: string;
        name: string;
        /** `provider/name`, the name that is unique. */
        full_name: string;
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description: string;
        state: "pending" | "probation" | "active" | "suspended" | "blocked";
        /** Called with your own key for its provider, so that the prices here are the service's fee alone. */
        own_key: boolean;
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        };
        /** A price that was announced, and from when it holds; null: none. */
        next_pricing: {
          pricing: {
            input_per_1k_tokens?: number | undefined;
            /** For input out of the provider's cache; null: as any other input. */
            cached_input_per_1k_tokens?: number | null | undefined;
            /** For input that is put into the provider's cache; null: as any other input. */
            cache_write_per_1k_tokens?: number | null | undefined;
            output_per_1k_tokens?: number | undefined;
            /** Credits; at most 9 decimals. */
            per_image?: number | undefined;
            /** Credits; at most 9 decimals. */
            per_request?: number | undefined;
            /** Credits for a second of audio, made or heard. */
            per_second?: number | undefined;
          };
          effective_at: string;
        } | null;
        /** With your own key: what the provider itself asks you, by the service's table of prices. Otherwise null. */
        provider_pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        } | null;
        capabilities: readonly string[];
        specialties: readonly string[];
        performance: {
          /** What its provider declares. */
          avg_latency_ms: number | null;
          /** What its provider declares, 0 to 1. */
          accuracy_score: number | null;
          /** The chance that its answer to an everyday question satisfies, as routing predicts it. null: it answers none. */
          predicted_quality: number | null;
        };
        cost_efficiency: string | null;
        streaming: boolean;
        context_window: number | null;
        max_output_tokens: number | null;
        /** What is claimed of what becomes of the data of requests. The service does not check it. null: nothing. */
        data: {
          /** Where requests are processed; null: nothing is claimed. */
          regions: readonly string[] | null;
          /** For how many days their data is kept; null: nothing is claimed. */
          retention_days: number | null;
          /** provider: the account that registered it. documentation: what the provider has published. */
          claimed_by: "provider" | "operator" | "documentation";
          source: string | null;
        } | null;
        /** null for the built-in models. */
        created_at: string | null;
        /** The last hour, as all instances saw it. */
        live: {
          /** Whether this instance would call it now. */
          available: boolean;
          /** left alone: it failed, became slow or asked for a pause. out of service: its provider takes no calls until its owner does something. */
          state: "up" | "left alone" | "on trial" | "coming back" | "out of service";
          out_of_service_since: string | null;
          /** Of the last answers that this instance knows of. */
          first_token_p95_ms: number | null;
          /** Of a whole answer, on average. */
          latency_ms: number | null;
          first_token_ms: number | null;
          tokens_per_second: number | null;
          error_rate: number;
          calls: number;
        };
        /** The last 24 hours, hour by hour, the oldest first. */
        availability: readonly {
          at: string;
          calls: number;
          failures: number;
          state: "up" | "degraded" | "down" | "no data";
        }[];
      })[];
      next_cursor: string | null;
    };
  };
  /** The catalogue of models, for everyone */
  "GET /v1/public/models": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        provider: string;
        name: string;
        /** `provider/name`, the name that is unique. */
        full_name: string;
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description: string;
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        };
        capabilities: readonly string[];
        specialties: readonly string[];
        streaming: boolean;
        context_window: number | null;
        max_output_tokens: number | null;
        /** null for the built-in models. */
        created_at: string | null;
        /** The chance that its answer to an everyday question satisfies; null: unknown. */
        quality: number | null;
        available: boolean;
        latency_ms: number | null;
        tokens_per_second: number | null;
        /** The last 24 hours, hour by hour, the oldest first. */
        availability: readonly {
          at: string;
          state: "up" | "degraded" | "down" | "no data";
        }[];
      }[];
      next_cursor: null;
    };
  };
  /** How the service does, for everyone */
  "GET /v1/public/status": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** degraded: a model is in trouble. down: all are, or the store does not answer. */
      state: "operational" | "degraded" | "down";
      checked_at: string;
      api: "up" | "down";
      store: "up" | "down";
      models: readonly {
        /** provider/name */
        model: string;
        /** Now, by the calls of the last hour. */
        state: "up" | "degraded" | "down";
        /** The last 24 hours, hour by hour, the oldest first. */
        history: readonly {
          at: string;
          state: "up" | "degraded" | "down" | "no data";
        }[];
      }[];
    };
  };
  /** How the service does */
  "GET /v1/status": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** degraded: a model is in trouble. down: all are, or the store does not answer. */
      state: "operational" | "degraded" | "down";
      checked_at: string;
      api: "up" | "down";
      store: "up" | "down";
      models: readonly {
        /** provider/name */
        model: string;
        /** Now, by the calls of the last hour. */
        state: "up" | "degraded" | "down";
        /** The last 24 hours, hour by hour, the oldest first. */
        history: readonly {
          at: string;
          state: "up" | "degraded" | "down" | "no data";
        }[];
      }[];
    };
  };
  /** The account's routing strategy */
  "GET /v1/routing": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
    };
  };
  /** Set the account's routing strategy */
  "PUT /v1/routing": {
    params: undefined;
    query: undefined;
    body: {
      strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
    };
    answer: {
      strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
    };
  };
  /** See how a request would be routed, without sending it */
  "POST /v1/routing/preview": {
    params: undefined;
    query: undefined;
    body: {
      /** Kind of work, for example chat, text-generation, code, summarization, image. */
      task?: string | undefined;
      /** The prompt or content to process. */
      input: string;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      /** `cascade`: the cheapest model first, and a better one where its answer fails `check`. */
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | "cascade" | undefined;
      /** What an answer must be like; only with `route: cascade`. */
      check?: {
        /** The answer, read as JSON, must meet it. At most 64 KiB. */
        json_schema?: Record<string, unknown> | undefined;
        /** The answer must hold a match. RE2's syntax. */
        regex?: string | undefined;
        /** In characters. */
        min_length?: number | undefined;
        /** Asked in any case. */
        non_empty?: boolean | undefined;
      } | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
        /** With `speed: fast`: ask a second model where the first takes longer than usual. */
        hedge?: boolean | undefined;
        /** Where the request may be processed: countries by ISO 3166, `eu` or `eea`. */
        data_regions?: readonly string[] | undefined;
        /** For how many days a provider may keep its data; 0: not at all. */
        data_retention_days?: number | undefined;
      } | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      /** Requests of one session stay with one model while it serves them. */
      session?: string | undefined;
      /** false: an answer that breaks off in the middle is not continued by another model. */
      continue?: boolean | undefined;
      /** With `speed: fast`: ask a second model where the first takes longer than usual. */
      hedge?: boolean | undefined;
      /** Whether the answer may be one that was given before, at no cost; false: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike the last words must be; true: 0.95. */
        similarity?: number | boolean | undefined;
      } | false | undefined;
      /** The client's own tags, by which requests and usage can be found: up to 16 names with a text each. */
      tags?: Record<string, string> | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
        /** Where the model can make as many. */
        dimensions?: number | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        top_p?: string | number | boolean | null | undefined;
        /** A whole number from 1. Any other value goes to the provider unchanged. */
        top_k?: string | number | boolean | null | undefined;
        /** A string. Any other value goes to the provider unchanged. */
        stop?: string | number | boolean | null | undefined;
        /** A whole number. Any other value goes to the provider unchanged. */
        seed?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        frequency_penalty?: string | number | boolean | null | undefined;
        /** A number. Any other value goes to the provider unchanged. */
        presence_penalty?: string | number | boolean | null | undefined;
        /** One of none, minimal, low, medium, high, xhigh. Any other value goes to the provider unchanged. */
        reasoning_effort?: string | number | boolean | null | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
    };
    answer: {
      strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
      /** true: the candidates are the steps of a cascade, the cheapest first. */
      cascade?: boolean | undefined;
      task: string;
      /** What `cost-optimized` asks of a model's quality here: the floor, or less where the best does not reach it. */
      quality_floor: number;
      reading: {
        /** What the request was taken for. */
        domain: string;
        /** The family of tasks that the domain is of. */
        family: string;
        /** 0 to 1: how surely it is that domain. */
        confidence: number;
        /** 0 to 1: the chance that a middling model does not satisfy. */
        difficulty: number;
        /** The domains that it may be of, the likeliest first. */
        shares: readonly {
          domain: string;
          share: number;
        }[];
      };
      /** What the strategy compares: credits or milliseconds, the less the better; quality, or worth in credits. */
      measure: "credits" | "ms" | "quality" | "worth";
      /** Who came next of those that competed. */
      runner_up: string | null;
      /** By how much the first was better, in `measure`; below zero where something else decided, such as the floor. */
      margin: number | null;
      /** Why the first came before the second, in one sentence with figures. */
      why: string;
      /** Whether the first is tried in the place of its near-equal; a preview leaves nothing to chance. */
      explored: false | {
        propensity: number;
        instead_of: string;
      };
      /** The model that the request's session stays with. */
      sticky_to: string | null;
      candidates: readonly {
        model: string;
        /** The chance that its answer satisfies, 0 to 1. */
        predicted_quality: number;
        /** The same at its lower bound. */
        lower_quality: number;
        /** By how many outcomes the prediction is backed; 0: by the provider's word alone. */
        evidence: number;
        /** Whether `cost-optimized` chooses it by its cost. */
        clears_floor: boolean;
        /** `queue_ms` + `first_token_ms` + `expected_output_tokens` at `tokens_per_second`. */
        expected_latency_ms: number;
        /** What the calls that are under way there add. */
        queue_ms: number;
        first_token_ms: number;
        /** null: its answers come in one piece. */
        tokens_per_second: number | null;
        expected_output_tokens: number;
        estimated_cost: number;
        worst_case_cost: number;
        /** Of its circuit breaker; `closed` lets calls through, `ramping` a growing share of them. */
        state: "closed" | "open" | "half-open" | "ramping";
        /** Of its recent calls, 0 to 1. */
        error_rate: number;
        /** How many calls are under way there. */
        in_flight: number;
        /** What the strategy compared, in `measure`, with the calls that an answer takes. */
        score: number;
        reasons: readonly string[];
      }[];
      left_out: readonly {
        model: string;
        reason: string;
      }[];
    };
  };
  /** List the account's presets */
  "GET /v1/presets": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly ({
        description?: string | undefined;
        /** The model, and those to try after it; absent: the service chooses. */
        models?: readonly string[] | undefined;
        /** The strategy by which the service chooses. */
        route?: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | undefined;
        /** Instructions that come before those of the request. Not for images, sound and embeddings. */
        system?: string | undefined;
        /** For requests that do not set them. */
        parameters?: {
          max_tokens?: number | undefined;
          temperature?: number | undefined;
          top_p?: number | undefined;
          stop?: readonly string[] | undefined;
          reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | undefined;
        } | undefined;
        /** Bounds for requests that do not set them. */
        preferences?: {
          /** Credits; at most 9 decimals. */
          max_cost?: number | undefined;
          max_latency_ms?: number | undefined;
          min_quality?: number | undefined;
        } | undefined;
        /** What to send as `model`. */
        name: string;
      })[];
      next_cursor: null;
    };
  };
  /** Read a preset */
  "GET /v1/presets/{name}": {
    params: {
      name: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      description?: string | undefined;
      /** The model, and those to try after it; absent: the service chooses. */
      models?: readonly string[] | undefined;
      /** The strategy by which the service chooses. */
      route?: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | undefined;
      /** Instructions that come before those of the request. Not for images, sound and embeddings. */
      system?: string | undefined;
      /** For requests that do not set them. */
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        top_p?: number | undefined;
        stop?: readonly string[] | undefined;
        reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | undefined;
      } | undefined;
      /** Bounds for requests that do not set them. */
      preferences?: {
        /** Credits; at most 9 decimals. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
      /** What to send as `model`. */
      name: string;
    };
  };
  /** Make or replace a preset */
  "PUT /v1/presets/{name}": {
    params: {
      name: string;
    };
    query: undefined;
    body: {
      description?: string | undefined;
      /** The model, and those to try after it; absent: the service chooses. */
      models?: readonly string[] | undefined;
      /** The strategy by which the service chooses. */
      route?: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | undefined;
      /** Instructions that come before those of the request. Not for images, sound and embeddings. */
      system?: string | undefined;
      /** For requests that do not set them. */
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        top_p?: number | undefined;
        stop?: readonly string[] | undefined;
        reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | undefined;
      } | undefined;
      /** Bounds for requests that do not set them. */
      preferences?: {
        /** Credits; at most 9 decimals. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
    };
    answer: {
      description?: string | undefined;
      /** The model, and those to try after it; absent: the service chooses. */
      models?: readonly string[] | undefined;
      /** The strategy by which the service chooses. */
      route?: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | undefined;
      /** Instructions that come before those of the request. Not for images, sound and embeddings. */
      system?: string | undefined;
      /** For requests that do not set them. */
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        top_p?: number | undefined;
        stop?: readonly string[] | undefined;
        reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | undefined;
      } | undefined;
      /** Bounds for requests that do not set them. */
      preferences?: {
        /** Credits; at most 9 decimals. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
      /** What to send as `model`. */
      name: string;
    };
  };
  /** Delete a preset */
  "DELETE /v1/presets/{name}": {
    params: {
      name: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** What the account's `cost-optimized` asks of a model's quality */
  "GET /v1/routing/floor": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** 0 to 1; null: what the service asks, `routing.quality_floor`. */
      min_quality: number | null;
    };
  };
  /** Set what the account's `cost-optimized` asks of a model's quality */
  "PUT /v1/routing/floor": {
    params: undefined;
    query: undefined;
    body: {
      /** 0 to 1; null: what the service asks, `routing.quality_floor`. */
      min_quality: number | null;
    };
    answer: {
      /** 0 to 1; null: what the service asks, `routing.quality_floor`. */
      min_quality: number | null;
    };
  };
  /** What the account's `hybrid` weighs */
  "GET /v1/routing/weights": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      cost: number;
      speed: number;
      quality: number;
    };
  };
  /** Set what the account's `hybrid` weighs */
  "PUT /v1/routing/weights": {
    params: undefined;
    query: undefined;
    body: {
      cost: number;
      speed: number;
      quality: number;
    };
    answer: {
      cost: number;
      speed: number;
      quality: number;
    };
  };
  /** What every strategy would have made of your last requests */
  "GET /v1/routing/report": {
    params: undefined;
    query: {
      /** How many requests. Default: 200, where `days` is not given. */
      last?: number | undefined;
      /** Those of so many days, instead of `last`. */
      days?: number | undefined;
      /** This one alone. Default: all four. */
      strategy?: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | undefined;
      /** With `speed` and `quality`: weights for `hybrid`. Default: the account's. */
      cost?: number | undefined;
      speed?: number | undefined;
      quality?: number | undefined;
    };
    body: undefined;
    answer: {
      /** How many are compared. */
      requests: number;
      /** How many brought a strategy or preferences of their own: not compared. */
      own_strategy: number;
      /** Not every request of these days was looked at; sums are of those that were. */
      sampled: boolean;
      /** One in so many was; 1: all of them. */
      one_in: number;
      /** What `cost-optimized` asks of a model's quality in this report. */
      quality_floor: number;
      /** When the oldest of them arrived. */
      from: string | null;
      to: string | null;
      /** What `hybrid` weighs in this report. */
      weights: {
        cost: number;
        speed: number;
        quality: number;
      };
      actual: {
        /** Credits, of all requests together. */
        cost: number;
        /** On average. */
        expected_latency_ms: number;
        /** 0 to 1, on average. */
        predicted_quality: number;
        /** What the requests really took, on average. */
        measured_latency_ms: number;
      };
      strategies: readonly {
        strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
        /** Credits, of all requests together. */
        cost: number;
        /** On average. */
        expected_latency_ms: number;
        /** 0 to 1, on average. */
        predicted_quality: number;
        /** Less what really happened. */
        difference: {
          /** Credits, of all requests together. */
          cost: number;
          /** On average. */
          expected_latency_ms: number;
          /** 0 to 1, on average. */
          predicted_quality: number;
        };
        /** How many requests would have gone to another model. */
        moved: number;
        examples: readonly {
          request_id: string;
          created_at: string;
          /** provider/name */
          from: string;
          /** provider/name */
          to: string;
          /** Less what really happened. */
          difference: {
            /** Credits, of all requests together. */
            cost: number;
            /** On average. */
            expected_latency_ms: number;
            /** 0 to 1, on average. */
            predicted_quality: number;
          };
        }[];
      }[];
    };
  };
  /** Whether the router learns from the account's outcomes */
  "GET /v1/routing/learning": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** `frozen`: the account's outcomes change nothing, and no model is tried out on its requests. */
      learning: "on" | "frozen";
      /** The operator's choice: where it is `frozen`, it holds for all. */
      service: "on" | "frozen";
    };
  };
  /** Let the router learn from the account's outcomes, or freeze what it knows */
  "PUT /v1/routing/learning": {
    params: undefined;
    query: undefined;
    body: {
      /** `frozen`: the account's outcomes change nothing, and no model is tried out on its requests. */
      learning: "on" | "frozen";
    };
    answer: {
      /** `frozen`: the account's outcomes change nothing, and no model is tried out on its requests. */
      learning: "on" | "frozen";
      /** The operator's choice: where it is `frozen`, it holds for all. */
      service: "on" | "frozen";
    };
  };
  /** Every outcome that the router learnt from, newest request first */
  "GET /v1/routing/outcomes": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** An ISO date or a date-time; inclusive. */
      from?: string | undefined;
      /** An ISO date (that whole day counts) or a date-time (exclusive). */
      to?: string | undefined;
      /** The IANA zone in which dates are meant. Default: the account's own. */
      timezone?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        request_id: string;
        /** When the request arrived. */
        created_at: string;
        /** provider/name */
        model: string;
        /** The likeliest domain of the request. */
        domain: string;
        /** How likely the choice of this model was; 1 where nothing was tried out. */
        propensity: number;
        /** What was predicted when the model was chosen. */
        predicted_quality: number;
        /** 0 to 1. */
        outcome: number;
        weight: number;
        /** `feedback`; `check`: the form that was asked for; `flaw`: the answer was empty or refused; `regeneration`: the same was asked again. */
        source: "feedback" | "check" | "flaw" | "regeneration";
        noted_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** Requests and cost of the account */
  "GET /v1/usage": {
    params: undefined;
    query: {
      /** An ISO date or a date-time; inclusive. */
      from?: string | undefined;
      /** An ISO date (that whole day counts) or a date-time (exclusive). */
      to?: string | undefined;
      /** The IANA zone in which dates are meant. Default: the account's own. */
      timezone?: string | undefined;
    };
    body: undefined;
    answer: {
      requests: number;
      cost: number;
    };
  };
  /** Usage by day, model, key, task, provider or tag */
  "GET /v1/usage/breakdown": {
    params: undefined;
    query: {
      /** An ISO date or a date-time; inclusive. */
      from?: string | undefined;
      /** An ISO date (that whole day counts) or a date-time (exclusive). */
      to?: string | undefined;
      /** The IANA zone in which dates are meant. Default: the account's own. */
      timezone?: string | undefined;
      /** A model's name, or provider/name. */
      model?: string | undefined;
      provider?: string | undefined;
      /** The id of a key. */
      key?: string | undefined;
      /** The word that the requests gave as their task. */
      task?: string | undefined;
      /** A tag of the requests: `team=search`, or `team` for any text. May be given several times; all must fit. `group_by=tag` groups by the texts of the first. */
      tag?: string | readonly string[] | undefined;
      group_by?: "day" | "model" | "key" | "task" | "provider" | "tag" | undefined;
    };
    body: undefined;
    answer: {
      group_by: "day" | "model" | "key" | "task" | "provider" | "tag";
      data: readonly ({
        requests: number;
        errors: number;
        input_tokens: number;
        output_tokens: number;
        cost: number;
      } & Record<string, string>)[];
      next_cursor: null;
    };
  };
  /** Usage over time */
  "GET /v1/usage/series": {
    params: undefined;
    query: {
      /** An ISO date or a date-time; inclusive. */
      from?: string | undefined;
      /** An ISO date (that whole day counts) or a date-time (exclusive). */
      to?: string | undefined;
      /** The IANA zone in which dates are meant. Default: the account's own. */
      timezone?: string | undefined;
      /** A model's name, or provider/name. */
      model?: string | undefined;
      provider?: string | undefined;
      /** The id of a key. */
      key?: string | undefined;
      /** The word that the requests gave as their task. */
      task?: string | undefined;
      /** A tag of the requests: `team=search`, or `team` for any text. May be given several times; all must fit. `group_by=tag` groups by the texts of the first. */
      tag?: string | readonly string[] | undefined;
      /** What the range is cut into, in the time zone. Weeks begin on Monday. */
      interval?: "hour" | "day" | "week" | "month" | "auto" | undefined;
      group_by?: "none" | "model" | "key" | "task" | "provider" | "tag" | undefined;
      /** By what the groups with a name are chosen. */
      top_by?: "cost" | "requests" | "errors" | "tokens" | undefined;
    };
    body: undefined;
    answer: {
      /** The first moment that counts; null: from the first request on. */
      from: string | null;
      /** The first moment that does not; null: up to now. */
      to: string | null;
      timezone: string;
      interval: "hour" | "day" | "week" | "month";
      group_by: "none" | "model" | "key" | "task" | "provider" | "tag";
      /** Up to 8, the largest first, and last all others together. Empty with `group_by=none`. */
      groups: readonly {
        /** null: all other groups together. */
        group: string | null;
        /** For people: a key's name, a model's full name where one provider alone has it; otherwise as `group`. */
        name: string;
        requests: number;
        errors: number;
        input_tokens: number;
        output_tokens: number;
        cost: number;
      }[];
      data: readonly {
        start: string;
        end: string;
        requests: number;
        errors: number;
        input_tokens: number;
        output_tokens: number;
        cost: number;
        /** Those that were used in this part of the range. */
        groups: readonly {
          /** null: all other groups together. */
          group: string | null;
          requests: number;
          errors: number;
          input_tokens: number;
          output_tokens: number;
          cost: number;
        }[];
      }[];
      /** Exactly the sum of `data`. */
      total: {
        requests: number;
        errors: number;
        input_tokens: number;
        output_tokens: number;
        cost: number;
      };
      next_cursor: null;
    };
  };
  /** How long answers took, over time */
  "GET /v1/usage/latency": {
    params: undefined;
    query: {
      /** An ISO date or a date-time; inclusive. */
      from?: string | undefined;
      /** An ISO date (that whole day counts) or a date-time (exclusive). */
      to?: string | undefined;
      /** The IANA zone in which dates are meant. Default: the account's own. */
      timezone?: string | undefined;
      /** A model's name, or provider/name. */
      model?: string | undefined;
      provider?: string | undefined;
      /** The id of a key. */
      key?: string | undefined;
      /** The word that the requests gave as their task. */
      task?: string | undefined;
      /** A tag of the requests: `team=search`, or `team` for any text. May be given several times; all must fit. `group_by=tag` groups by the texts of the first. */
      tag?: string | readonly string[] | undefined;
      /** What the range is cut into, in the time zone. Weeks begin on Monday. */
      interval?: "hour" | "day" | "week" | "month" | "auto" | undefined;
      group_by?: "none" | "model" | "key" | "task" | "provider" | "tag" | undefined;
    };
    body: undefined;
    answer: {
      from: string | null;
      to: string | null;
      timezone: string;
      interval: "hour" | "day" | "week" | "month";
      group_by: "none" | "model" | "key" | "task" | "provider" | "tag";
      /** Not every request was measured. */
      sampled: boolean;
      /** One in so many was; 1: all of them. */
      one_in: number;
      /** Up to 8, those with most requests first, and last all others together. */
      groups: readonly {
        /** null: all other groups together. */
        group: string | null;
        name: string;
        /** How many were measured. */
        requests: number;
        /** Half of the answers took no longer, in milliseconds. null: none was measured. */
        p50: number | null;
        /** 95 of 100 answers took no longer. */
        p95: number | null;
        mean: number | null;
      }[];
      data: readonly {
        start: string;
        end: string;
        /** How many were measured. */
        requests: number;
        /** Half of the answers took no longer, in milliseconds. null: none was measured. */
        p50: number | null;
        /** 95 of 100 answers took no longer. */
        p95: number | null;
        mean: number | null;
        groups: readonly {
          /** null: all other groups together. */
          group: string | null;
          /** How many were measured. */
          requests: number;
          /** Half of the answers took no longer, in milliseconds. null: none was measured. */
          p50: number | null;
          /** 95 of 100 answers took no longer. */
          p95: number | null;
          mean: number | null;
        }[];
      }[];
      /** Of the whole range: percentiles can't be summed. */
      total: {
        /** How many were measured. */
        requests: number;
        /** Half of the answers took no longer, in milliseconds. null: none was measured. */
        p50: number | null;
        /** 95 of 100 answers took no longer. */
        p95: number | null;
        mean: number | null;
      };
      next_cursor: null;
    };
  };
  /** How the account stands, in short */
  "GET /v1/overview": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      balance: number;
      /** Below the account's mark, or nothing is left. */
      low_balance: boolean;
      time_zone: string;
      today: {
        /** Answered ones. */
        requests: number;
        errors: number;
        cost: number;
      };
      /** Up to the same moment of the day as now. */
      yesterday: {
        /** Answered ones. */
        requests: number;
        errors: number;
        cost: number;
      };
      month: {
        /** Answered ones. */
        requests: number;
        errors: number;
        cost: number;
      };
      /** The last 30, today last. */
      days: readonly {
        day: string;
        /** Answered ones. */
        requests: number;
        errors: number;
        cost: number;
      }[];
      last_request: {
        id: string;
        created_at: string;
        /** provider/name */
        model: string | null;
        cost: number;
        status: number;
      } | null;
      /** The first that was answered to a key, not to a member at the dashboard. */
      first_request: {
        id: string;
        created_at: string;
        /** provider/name */
        model: string | null;
        cost: number;
        status: number;
      } | null;
      /** Which of the first steps are done. */
      steps: {
        /** There is a model besides the built-in ones. */
        model: boolean;
        /** A model besides the built-in ones has answered a request. */
        answer: boolean;
        /** There is a key, or a revoked one was used. */
        key: boolean;
        /** Credits were put on the balance. */
        funded: boolean;
        /** A request of a key was answered. */
        request: boolean;
      };
    };
  };
  /** List what happened, newest first */
  "GET /v1/requests": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` or `prev_cursor` of another page. */
      cursor?: string | undefined;
      /** An ISO date or a date-time; inclusive. */
      from?: string | undefined;
      /** An ISO date (that whole day counts) or a date-time (exclusive). */
      to?: string | undefined;
      /** The IANA zone in which dates are meant. Default: the account's own. */
      timezone?: string | undefined;
      /** A model's name, or provider/name. */
      model?: string | undefined;
      provider?: string | undefined;
      /** The id of a key. */
      key?: string | undefined;
      /** The word that the requests gave as their task. */
      task?: string | undefined;
      /** A tag of the requests: `team=search`, or `team` for any text. May be given several times; all must fit. `group_by=tag` groups by the texts of the first. */
      tag?: string | readonly string[] | undefined;
      /** This one only. */
      id?: string | undefined;
      /** Only those that arrived after the request with this id; newest first, as always. */
      after?: string | undefined;
      /** `ok` (answered), `error` (refused or failed, as usage counts it), `refused` (of those, the ones that were refused: 4xx), a class such as `5xx`, or a status. 499: the client left before it was given anything. */
      status?: string | undefined;
      error_type?: string | undefined;
      /** Those that cost at least this, in credits. */
      min_cost?: string | undefined;
      /** Those on which feedback was given; `good`: with a score above 0, `bad`: below 0. */
      feedback?: "any" | "good" | "bad" | undefined;
      /** Those that took at least this long. */
      min_latency_ms?: string | undefined;
      /** Those whose stored prompt or output contains this text, in any case. Nothing is found where the account does not store them. */
      text?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        created_at: string;
        path: string;
        task: string;
        /** provider/name; null: none was called. */
        model: string | null;
        status: number;
        error_type: string | null;
        input_tokens: number;
        output_tokens: number;
        cost: number;
        /** From arrival until the charge was about to be written. */
        latency_ms: number;
        key_id: string;
        /** As the key is called now, also where it was revoked. */
        key_name: string | null;
        /** What the client said of it, by names of its own. */
        tags: Record<string, string>;
      }[];
      next_cursor: string | null;
      /** The page of what is newer than this one, now or later. */
      prev_cursor: string | null;
      /** How far the search came, where it stopped before the end. */
      searched_until: string | null;
    };
  };
  /** What happened to a request */
  "GET /v1/requests/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      created_at: string;
      path: string;
      task: string;
      /** provider/name; null: none was called. */
      model: string | null;
      status: number;
      error_type: string | null;
      input_tokens: number;
      output_tokens: number;
      cost: number;
      /** From arrival until the charge was about to be written. */
      latency_ms: number;
      key_id: string;
      /** As the key is called now, also where it was revoked. */
      key_name: string | null;
      /** What the client said of it, by names of its own. */
      tags: Record<string, string>;
      /** Whose count of tokens was charged. */
      usage_source: "provider" | "own" | "none";
      /** How many of the input tokens came out of the provider's cache. */
      cached_input_tokens: number;
      /** How many of the input tokens were put into the provider's cache. */
      cache_write_tokens: number;
      /** How many images were charged for. */
      images: number;
      /** Milliseconds of audio, made or heard, that were charged for. */
      audio_ms: number;
      /** Whose count of audio that is; left out where there was none. */
      audio_source?: "provider" | "measured" | "estimated" | undefined;
      /** It was made with the account's own key for the provider, and its price is the service's fee. */
      own_key: boolean;
      /** `legs` where each of its legs has its own. */
      price_version: string | null;
      /** Of that version; null where there is none, as for built-in models, which are free. */
      price: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | null;
      /** What was taken off that price for a line of a batch, 0 to 0.9. */
      discount: number;
      /** What was set aside for the worst case, in credits. */
      held: number;
      /** It was sent with an idempotency key, and its answer is replayed for 24 hours. Replays have no record of their own. */
      idempotent: boolean;
      /** What the response cache had to say; left out where the request did not ask it. */
      cache?: {
        result: "hit" | "miss";
        match?: "exact" | "similar" | undefined;
        similarity?: number | undefined;
        age_seconds?: number | undefined;
        /** The request that was first given this answer. */
        request_id?: string | undefined;
        /** The model that gave it. */
        model?: string | undefined;
      } | undefined;
      /** The preset that it named as its model. */
      preset?: string | undefined;
      /** What the account's guardrail hooks noted about it. */
      annotations?: Record<string, string> | undefined;
      /** Of which batch it is a line, by its number in the file. */
      batch?: {
        id: string;
        line: number;
      } | undefined;
      streamed: boolean;
      client_hung_up: boolean;
      /** What the client was told. */
      error: string | null;
      /** Milliseconds by stage; `stages` has the same in order. */
      timings: Record<string, number>;
      /** Its way through the line, in order. Writing the charge comes after all of this and is not in the record that it writes: `settle` is told in the answer's `Server-Timing` header. */
      stages: readonly {
        /** `authenticate`, `admit`, `validate` (reading and checking the body), `claim` (only with an idempotency key), `route`, `screen`, `cache` (only where it was asked), `hold`, `provider` (waiting for providers), `client` (waiting for the client to take a piece of a stream), `charge` (counting and pricing). */
        stage: string;
        /** Since arrival: the sum of the stages before. */
        start_ms: number;
        /** In a stream `provider` and `client` take turns; each is given as the sum of its turns. */
        ms: number;
      }[];
      /** null: it was refused before a route was chosen. */
      routing: {
        strategy: string;
        /** Whose strategy it was: the account's or the request's; or the client named the model. */
        chosen_by?: "account" | "request" | "name" | undefined;
        /** true: the candidates are the steps of a cascade, the cheapest first. */
        cascade?: boolean | undefined;
        /** What `hybrid` weighed. */
        weights?: Record<string, number> | undefined;
        task: string;
        /** What `cost-optimized` asks of a model's quality here: the floor, or less where the best does not reach it. */
        quality_floor?: number | undefined;
        reading?: {
          /** What the request was taken for. */
          domain: string;
          /** The family of tasks that the domain is of. */
          family: string;
          /** 0 to 1: how surely it is that domain. */
          confidence: number;
          /** 0 to 1: the chance that a middling model does not satisfy. */
          difficulty: number;
          /** The domains that it may be of, the likeliest first. */
          shares: readonly {
            domain: string;
            share: number;
          }[];
        } | undefined;
        /** What the strategy compares: credits or milliseconds, the less the better; quality, or worth in credits. */
        measure?: "credits" | "ms" | "quality" | "worth" | undefined;
        /** Who came next of those that competed. */
        runner_up?: string | null | undefined;
        /** By how much the first was better, in `measure`; below zero where something else decided, such as the floor. */
        margin?: number | null | undefined;
        /** Why the first came before the second, in one sentence with figures. */
        why?: string | undefined;
        /** The model that the request's session stayed with. */
        sticky_to?: string | undefined;
        /** How likely the first place was to go to whom it went; left out where nothing was left to chance. */
        propensity?: number | undefined;
        /** The first was tried in the place of its near-equal. */
        explored?: {
          propensity: number;
          instead_of: string;
        } | undefined;
        /** Up to twelve: the first ones, the one that answered, and the cheapest, fastest and best. */
        candidates: readonly {
          model: string;
          /** 1 is tried first. */
          place: number;
          /** It gave the answer, or was the last to be tried. */
          chosen: boolean;
          /** What became of it; `not tried` where one before it answered, or it could not be called. */
          outcome: "answered" | "failed" | "cut-off" | "cancelled" | "failed-check" | "not tried";
          /** The chance that its answer satisfies, 0 to 1. */
          predicted_quality: number;
          /** `queue_ms` + `first_token_ms` + `expected_output_tokens` at `tokens_per_second`. */
          expected_latency_ms: number;
          estimated_cost: number;
          worst_case_cost: number;
          /** Of the price that it was quoted at. */
          price_version?: string | undefined;
          /** Of its recent calls, 0 to 1; left out where none failed. */
          error_rate?: number | undefined;
          /** The same at its lower bound. */
          lower_quality?: number | undefined;
          /** By how many outcomes the prediction is backed; 0: by the provider's word alone. */
          evidence?: number | undefined;
          /** Whether `cost-optimized` chooses it by its cost. */
          clears_floor?: boolean | undefined;
          /** What the calls that are under way there add. */
          queue_ms?: number | undefined;
          first_token_ms?: number | undefined;
          /** null: its answers come in one piece. */
          tokens_per_second?: number | null | undefined;
          expected_output_tokens?: number | undefined;
          /** Of its circuit breaker; `closed` lets calls through, `ramping` a growing share of them. */
          state?: "closed" | "open" | "half-open" | "ramping" | undefined;
          /** How many calls are under way there. */
          in_flight?: number | undefined;
          /** What the strategy compared, in `measure`, with the calls that an answer takes. */
          score?: number | undefined;
          /** As predicted without what was learnt from outcomes. */
          unlearnt_quality?: number | undefined;
          reasons: readonly string[];
        }[];
        candidates_total: number;
        /** The first twelve. */
        left_out: readonly {
          model: string;
          reason: string;
        }[];
        left_out_total: number;
      } | null;
      attempts: readonly {
        model: string;
        /** `cancelled`: another model was faster. `failed-check`: its answer failed a cascade's check. */
        outcome: "answered" | "failed" | "cut-off" | "cancelled" | "failed-check";
        /** Of what kind the provider's failure was. */
        kind: "refused" | "timeout" | "rate-limited" | "overloaded" | "rejected" | "broken" | "too-large" | null;
        /** In words; `ok` for an answer. */
        reason: string;
        /** The provider's own words on why it failed, where it had some. */
        said?: string | undefined;
        ms: number;
        /** Until the first piece of the answer. */
        first_part_ms: number | null;
        /** null for an attempt that was not charged for. */
        input_tokens: number | null;
        output_tokens: number | null;
      }[];
      /** Where several models made the answer, one after the other, what each was charged for; the request's tokens and cost are their sums. */
      legs?: readonly {
        model: string;
        /** `answered`: it finished the answer. `cut-off`: another model went on after it, or none did. `failed-check`: its whole answer failed the check of a cascade. `refused`: moderation took the answer away. */
        outcome: "answered" | "cut-off" | "failed-check" | "refused";
        /** Whose count of tokens was charged. */
        usage_source: "provider" | "own";
        input_tokens: number;
        cached_input_tokens: number;
        cache_write_tokens: number;
        output_tokens: number;
        images: number;
        audio_ms: number;
        price_version: string;
        discount: number;
        cost: number;
      }[] | undefined;
      safety: {
        /** null: it was not looked at. */
        input: {
          action: "allow" | "report" | "redact" | "refuse";
          /** Those that were found, 0 to 1. */
          categories: Record<string, number>;
          /** What each category called for, of those that were not allowed. */
          acted?: Record<string, "allow" | "report" | "redact" | "refuse"> | undefined;
          /** Where it stands, as offsets into the text. The words themselves are not kept. */
          spans?: readonly {
            category: string;
            /** What the value there is, such as `email`, where it is one. */
            kind?: string | undefined;
            start: number;
            end: number;
          }[] | undefined;
          /** How many values of each kind were taken out, such as `email`; left out where none was. */
          redacted?: Record<string, number> | undefined;
          /** What was undone before judging. */
          normalised?: readonly string[] | undefined;
          /** The policy was tried out: the action was not taken. */
          dry_run?: true | undefined;
          /** Whose rules called for the action. */
          policy?: "service" | "account" | "key" | undefined;
          /** What a judge outside said of each text that was doubtful; left out where none was asked. */
          judge?: readonly {
            /** Whether more is done about the text than without it, less, or the same; `failed`: it gave none. */
            result: "raised" | "lowered" | "upheld" | "failed";
            /** Why there is none. */
            why?: "timeout" | "busy" | "unreachable" | "unreadable" | undefined;
            /** Our own scores of the categories that were in doubt. */
            doubts: Record<string, number>;
            /** What the judge said of these. */
            said: Record<string, number>;
            ms: number;
            /** It was asked about the same text within the last minute. */
            remembered: boolean;
          }[] | undefined;
        } | null;
        /** null: it was not looked at. */
        output: {
          action: "allow" | "report" | "redact" | "refuse";
          /** Those that were found, 0 to 1. */
          categories: Record<string, number>;
          /** What each category called for, of those that were not allowed. */
          acted?: Record<string, "allow" | "report" | "redact" | "refuse"> | undefined;
          /** Where it stands, as offsets into the text. The words themselves are not kept. */
          spans?: readonly {
            category: string;
            /** What the value there is, such as `email`, where it is one. */
            kind?: string | undefined;
            start: number;
            end: number;
          }[] | undefined;
          /** How many values of each kind were taken out, such as `email`; left out where none was. */
          redacted?: Record<string, number> | undefined;
          /** What was undone before judging. */
          normalised?: readonly string[] | undefined;
          /** The policy was tried out: the action was not taken. */
          dry_run?: true | undefined;
          /** Whose rules called for the action. */
          policy?: "service" | "account" | "key" | undefined;
          /** What a judge outside said of each text that was doubtful; left out where none was asked. */
          judge?: readonly {
            /** Whether more is done about the text than without it, less, or the same; `failed`: it gave none. */
            result: "raised" | "lowered" | "upheld" | "failed";
            /** Why there is none. */
            why?: "timeout" | "busy" | "unreachable" | "unreadable" | undefined;
            /** Our own scores of the categories that were in doubt. */
            doubts: Record<string, number>;
            /** What the judge said of these. */
            said: Record<string, number>;
            ms: number;
            /** It was asked about the same text within the last minute. */
            remembered: boolean;
          }[] | undefined;
        } | null;
      };
      /** What was said of the answer; left out where nothing was. */
      feedback?: {
        /** −1, as bad as can be, to 1. */
        score: number;
        comment?: string | undefined;
        at: string;
      } | undefined;
      /** Only where the account has turned storing on. */
      content?: {
        input: string;
        output: string;
      } | undefined;
    };
  };
  /** Say how good an answer was */
  "POST /v1/requests/{id}/feedback": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** −1, as bad as can be, to 1. */
      score: number;
      /** For people; nothing is made of it. */
      comment?: string | undefined;
    };
    answer: {
      /** −1, as bad as can be, to 1. */
      score: number;
      comment?: string | undefined;
      at: string;
    };
  };
  /** What the account has */
  "GET /v1/balance": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      balance: number;
      /** Set aside for requests now running. */
      held: number;
      available: number;
      currency: "credits";
    };
  };
  /** The account's settings */
  "GET /v1/settings": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** Keep prompts and outputs in the request records. */
      store_content: boolean;
      /** Whether a model's name without its provider may stand for a model that another account than the operator's registered. */
      third_party_models: boolean;
      /** The sites whose pages may use the account's keys of the scopes `inference` and `read`; null: any. A key's own list goes before it. */
      origins: readonly string[] | null;
      /** The IANA zone in which the account's days, weeks and months begin. */
      time_zone: string;
      /** Which models may serve, by what is claimed of their data. */
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      };
      alerts: {
        /** `balance.low` is sent when the balance falls below this many credits; null: never. */
        low_balance: number | null;
        /** `budget.threshold` is sent when a key or the account has used these parts of its budget. */
        budget_thresholds: readonly number[];
        /** Whether owners, admins and billing members get low and exhausted balances and budgets by e-mail as well, where the service can send any. */
        email: boolean;
      };
      /** What all keys of the account may send a minute together. Only the operator changes it. null: any number. */
      requests_per_minute: number | null;
      /** Suspended: no credits are left, so nothing that costs is answered. */
      status: "active" | "suspended";
    };
  };
  /** Change the account's settings */
  "PATCH /v1/settings": {
    params: undefined;
    query: undefined;
    body: {
      /** Keep prompts and outputs in the request records. */
      store_content?: boolean | undefined;
      /** Whether a model's name without its provider may stand for a model that another account than the operator's registered. */
      third_party_models?: boolean | undefined;
      /** The sites whose pages may use the account's keys of the scopes `inference` and `read`; null: any. A key's own list goes before it. */
      origins?: readonly string[] | null | undefined;
      /** The IANA zone in which the account's days, weeks and months begin. */
      time_zone?: string | undefined;
      /** What may become of the data of the account's requests. Keys and requests can only narrow it. Given as a whole. */
      data_rules?: {
        /** Where requests may be processed: countries by ISO 3166, `eu` or `eea`. null: anywhere. */
        regions?: readonly string[] | null | undefined;
        /** For how many days a provider may keep the data of requests. 0: not at all. null: any time. */
        retention_days?: number | null | undefined;
      } | undefined;
      alerts?: {
        /** `balance.low` is sent when the balance falls below this many credits; null: never. */
        low_balance?: number | null | undefined;
        /** `budget.threshold` is sent when a key or the account has used these parts of its budget. */
        budget_thresholds?: readonly number[] | undefined;
        /** Whether owners, admins and billing members get low and exhausted balances and budgets by e-mail as well, where the service can send any. */
        email?: boolean | undefined;
      } | undefined;
    };
    answer: {
      /** Keep prompts and outputs in the request records. */
      store_content: boolean;
      /** Whether a model's name without its provider may stand for a model that another account than the operator's registered. */
      third_party_models: boolean;
      /** The sites whose pages may use the account's keys of the scopes `inference` and `read`; null: any. A key's own list goes before it. */
      origins: readonly string[] | null;
      /** The IANA zone in which the account's days, weeks and months begin. */
      time_zone: string;
      /** Which models may serve, by what is claimed of their data. */
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      };
      alerts: {
        /** `balance.low` is sent when the balance falls below this many credits; null: never. */
        low_balance: number | null;
        /** `budget.threshold` is sent when a key or the account has used these parts of its budget. */
        budget_thresholds: readonly number[];
        /** Whether owners, admins and billing members get low and exhausted balances and budgets by e-mail as well, where the service can send any. */
        email: boolean;
      };
      /** What all keys of the account may send a minute together. Only the operator changes it. null: any number. */
      requests_per_minute: number | null;
      /** Suspended: no credits are left, so nothing that costs is answered. */
      status: "active" | "suspended";
    };
  };
  /** For how long the account's data is kept */
  "GET /v1/settings/retention": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** Prompts and outputs in the records of requests, where they are stored at all. */
      contents: {
        /** For how many days it is kept. null: for as long as the service keeps it. */
        days: number | null;
        /** What the account chose. null: nothing. */
        own_days: number | null;
        /** The least that it may choose. */
        min_days: number;
        /** The most that it may choose. null: any number. */
        max_days: number | null;
      };
      /** What was decided and measured for a request, its tags and its feedback. When it came, the key, the model, tokens and cost stay. */
      details: {
        /** For how many days it is kept. null: for as long as the service keeps it. */
        days: number | null;
        /** What the account chose. null: nothing. */
        own_days: number | null;
        /** The least that it may choose. */
        min_days: number;
        /** The most that it may choose. null: any number. */
        max_days: number | null;
      };
      /** Responses and conversations that later requests continue, counted from their last use. */
      responses: {
        /** For how many days it is kept. null: for as long as the service keeps it. */
        days: number | null;
        /** What the account chose. null: nothing. */
        own_days: number | null;
        /** The least that it may choose. */
        min_days: number;
        /** The most that it may choose. null: any number. */
        max_days: number | null;
      };
      /** Entries of the audit log. */
      audit_log: {
        /** For how many days it is kept. null: for as long as the service keeps it. */
        days: number | null;
        /** What the account chose. null: nothing. */
        own_days: number | null;
        /** The least that it may choose. */
        min_days: number;
        /** The most that it may choose. null: any number. */
        max_days: number | null;
      };
    };
  };
  /** Change for how long the account's data is kept */
  "PATCH /v1/settings/retention": {
    params: undefined;
    query: undefined;
    body: {
      /** Prompts and outputs in the records of requests, where they are stored at all. */
      contents?: number | null | undefined;
      /** What was decided and measured for a request, its tags and its feedback. When it came, the key, the model, tokens and cost stay. */
      details?: number | null | undefined;
      /** Responses and conversations that later requests continue, counted from their last use. */
      responses?: number | null | undefined;
      /** Entries of the audit log. */
      audit_log?: number | null | undefined;
    };
    answer: {
      /** Prompts and outputs in the records of requests, where they are stored at all. */
      contents: {
        /** For how many days it is kept. null: for as long as the service keeps it. */
        days: number | null;
        /** What the account chose. null: nothing. */
        own_days: number | null;
        /** The least that it may choose. */
        min_days: number;
        /** The most that it may choose. null: any number. */
        max_days: number | null;
      };
      /** What was decided and measured for a request, its tags and its feedback. When it came, the key, the model, tokens and cost stay. */
      details: {
        /** For how many days it is kept. null: for as long as the service keeps it. */
        days: number | null;
        /** What the account chose. null: nothing. */
        own_days: number | null;
        /** The least that it may choose. */
        min_days: number;
        /** The most that it may choose. null: any number. */
        max_days: number | null;
      };
      /** Responses and conversations that later requests continue, counted from their last use. */
      responses: {
        /** For how many days it is kept. null: for as long as the service keeps it. */
        days: number | null;
        /** What the account chose. null: nothing. */
        own_days: number | null;
        /** The least that it may choose. */
        min_days: number;
        /** The most that it may choose. null: any number. */
        max_days: number | null;
      };
      /** Entries of the audit log. */
      audit_log: {
        /** For how many days it is kept. null: for as long as the service keeps it. */
        days: number | null;
        /** What the account chose. null: nothing. */
        own_days: number | null;
        /** The least that it may choose. */
        min_days: number;
        /** The most that it may choose. null: any number. */
        max_days: number | null;
      };
    };
  };
  /** Who is logged in, where, and what they may do there */
  "GET /v1/session": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      person: {
        id: string;
        email: string;
        name: string;
        email_verified: boolean;
        has_password: boolean;
        has_totp: boolean;
        /** How many passkeys there are. */
        passkeys: number;
      };
      account: {
        id: string;
        name: string;
        role: "owner" | "admin" | "developer" | "billing" | "viewer";
        operator: boolean;
        /** Whether it is reached by single sign-on only. */
        sso_only: boolean;
        provider: string;
      };
      accounts: readonly {
        id: string;
        name: string;
        role: "owner" | "admin" | "developer" | "billing" | "viewer";
        operator: boolean;
        /** Whether it is reached by single sign-on only. */
        sso_only: boolean;
      }[];
      powers: readonly string[];
      features: {
        /** Whether mail is sent. If not, links are in the service's log. */
        mail: boolean;
        /** Who may open an account. */
        sign_up: "open" | "invited" | "closed";
        /** Whether one can log in by wallet. */
        wallet: boolean;
        /** Whether the catalogue of models is public. */
        public_models: boolean;
        /** Whether the status page is public. */
        public_status: boolean;
        card: boolean;
        /** Whether accounts are placed on several PostgreSQL clusters. */
        clusters: boolean;
      };
      /** What the operator has to tell everyone; empty: nothing. */
      announcement: string;
    };
  };
  /** Log out */
  "DELETE /v1/session": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Look at another of one's organisations */
  "POST /v1/session/account": {
    params: undefined;
    query: undefined;
    body: {
      account_id: string;
    };
    answer: {
      account_id: string;
    };
  };
  /** Your profile */
  "GET /v1/me": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      email: string;
      name: string;
      email_verified: boolean;
      has_password: boolean;
      has_totp: boolean;
      /** How many passkeys there are. */
      passkeys: number;
    };
  };
  /** Change your profile */
  "PATCH /v1/me": {
    params: undefined;
    query: undefined;
    body: {
      name?: string | undefined;
      /** An e-mail address. */
      email?: string | undefined;
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
    };
    answer: {
      id: string;
      email: string;
      name: string;
      email_verified: boolean;
      has_password: boolean;
      has_totp: boolean;
      /** How many passkeys there are. */
      passkeys: number;
      /** Where the link for a new address went. */
      sent: "mail" | "log" | null;
    };
  };
  /** Choose a password */
  "POST /v1/me/password": {
    params: undefined;
    query: undefined;
    body: {
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
      password: string;
    };
    answer: undefined;
  };
  /** Where you are logged in, newest first */
  "GET /v1/me/sessions": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        /** Whether this is the session that asks. */
        current: boolean;
        address: string;
        /** What the browser calls itself. */
        agent: string;
        organisation: string;
        created_at: string;
        last_seen_at: string;
        expires_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** Log out everywhere, also here */
  "DELETE /v1/me/sessions": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Log out somewhere else */
  "DELETE /v1/me/sessions/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Everything that is stored of you, as one document */
  "GET /v1/me/data": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      person: Record<string, unknown>;
    };
  };
  /** Erase yourself */
  "POST /v1/me/erase": {
    params: undefined;
    query: undefined;
    body: {
      /** Your e-mail address, as you mean it. */
      confirm: string;
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
    };
    answer: undefined;
  };
  /** Everything that is stored of a person, as one document */
  "POST /v1/admin/people/export": {
    params: undefined;
    query: undefined;
    body: {
      /** The person's e-mail address. */
      email: string;
    };
    answer: {
      person: Record<string, unknown>;
    };
  };
  /** Erase a person */
  "POST /v1/admin/people/erase": {
    params: undefined;
    query: undefined;
    body: {
      /** The person's e-mail address. */
      email: string;
    };
    answer: undefined;
  };
  /** What a browser needs to make a passkey */
  "POST /v1/me/passkeys/options": {
    params: undefined;
    query: undefined;
    body: {
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
    } | undefined;
    answer: {
      /** Comes back with what the browser made, once, within 5 minutes. */
      ticket: string;
      /** WebAuthn's creation options, as JSON. */
      options: Record<string, unknown>;
    };
  };
  /** Add a passkey */
  "POST /v1/me/passkeys": {
    params: undefined;
    query: undefined;
    body: {
      ticket: string;
      response: {
        id: string;
        rawId: string;
        type: "public-key";
        response: {
          clientDataJSON: string;
          attestationObject: string;
          transports?: readonly string[] | undefined;
        };
        clientExtensionResults?: Record<string, unknown> | undefined;
      };
      name: string;
    };
    answer: {
      id: string;
      name: string;
      /** Whether it is kept on more than one device. */
      backed_up: boolean;
      created_at: string;
      last_used_at: string | null;
    };
  };
  /** Your passkeys */
  "GET /v1/me/passkeys": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        name: string;
        /** Whether it is kept on more than one device. */
        backed_up: boolean;
        created_at: string;
        last_used_at: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** Rename a passkey */
  "PATCH /v1/me/passkeys/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      name: string;
    };
    answer: {
      id: string;
      name: string;
      /** Whether it is kept on more than one device. */
      backed_up: boolean;
      created_at: string;
      last_used_at: string | null;
    };
  };
  /** Remove a passkey */
  "DELETE /v1/me/passkeys/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
    } | undefined;
    answer: undefined;
  };
  /** Begin to set up the second factor */
  "POST /v1/me/totp": {
    params: undefined;
    query: undefined;
    body: {
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
    } | undefined;
    answer: {
      secret: string;
      /** For the QR code. */
      uri: string;
    };
  };
  /** Remove the second factor */
  "DELETE /v1/me/totp": {
    params: undefined;
    query: undefined;
    body: {
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
    } | undefined;
    answer: undefined;
  };
  /** Confirm the second factor by a code: from now on it is asked for */
  "POST /v1/me/totp/confirm": {
    params: undefined;
    query: undefined;
    body: {
      code: string;
    };
    answer: {
      /** Ten, each good once. Shown this once. */
      recovery_codes: readonly string[];
    };
  };
  /** Make new recovery codes: the old ones end */
  "POST /v1/me/totp/recovery-codes": {
    params: undefined;
    query: undefined;
    body: {
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
    } | undefined;
    answer: {
      /** Ten, each good once. Shown this once. */
      recovery_codes: readonly string[];
    };
  };
  /** How one can log in here */
  "GET /v1/auth/features": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** Whether mail is sent. If not, links are in the service's log. */
      mail: boolean;
      /** Who may open an account. */
      sign_up: "open" | "invited" | "closed";
      /** Whether one can log in by wallet. */
      wallet: boolean;
      /** Whether the catalogue of models is public. */
      public_models: boolean;
      /** Whether the status page is public. */
      public_status: boolean;
    };
  };
  /** Ask for an account */
  "POST /v1/auth/sign-up": {
    params: undefined;
    query: undefined;
    body: {
      /** An e-mail address. */
      email: string;
      /** 10 to 256 characters. Without one, log in by passkey. */
      password?: string | undefined;
      name: string;
      /** What your organisation is called. */
      organisation?: string | undefined;
    };
    answer: {
      sent: "mail" | "log";
    };
  };
  /** Learn what became of the sign-up that was begun in this browser */
  "POST /v1/auth/resume-sign-up": {
    params: undefined;
    query: undefined;
    body: Record<string, unknown>;
    answer: {
      state: "waiting" | "approved";
      email: string;
      /** Once it is approved. */
      has_password?: boolean | undefined;
    };
  };
  /** Use the link from a mail that confirms an address */
  "POST /v1/auth/verify": {
    params: undefined;
    query: undefined;
    body: {
      token: string;
    };
    answer: {
      done: "sign_up" | "email";
      has_password: boolean;
    };
  };
  /** Become the operator's first owner, by the link that the start printed */
  "POST /v1/auth/first-login": {
    params: undefined;
    query: undefined;
    body: {
      token: string;
      /** An e-mail address. */
      email: string;
      name: string;
      password: string;
    };
    answer: {
      second_factor: false;
    };
  };
  /** How hard a password is to guess */
  "POST /v1/auth/password-strength": {
    params: undefined;
    query: undefined;
    body: {
      password: string;
      email?: string | undefined;
      name?: string | undefined;
    };
    answer: {
      score: number;
      advice: string | null;
    };
  };
  /** Log in by e-mail address and password */
  "POST /v1/auth/log-in": {
    params: undefined;
    query: undefined;
    body: {
      /** An e-mail address. */
      email: string;
      password: string;
    };
    answer: {
      /** Whether a code is asked for: then nobody is logged in yet. */
      second_factor: boolean;
      /** For `second-factor`: good for 5 tries within 5 minutes. */
      ticket?: string | undefined;
    };
  };
  /** Finish a log-in by a code of the authenticator app, or by a recovery code */
  "POST /v1/auth/second-factor": {
    params: undefined;
    query: undefined;
    body: {
      ticket: string;
      code: string;
    };
    answer: {
      /** Whether a code is asked for: then nobody is logged in yet. */
      second_factor: boolean;
      /** For `second-factor`: good for 5 tries within 5 minutes. */
      ticket?: string | undefined;
    };
  };
  /** What a browser needs to ask for a passkey */
  "POST /v1/auth/passkey-options": {
    params: undefined;
    query: undefined;
    body: Record<string, unknown> | undefined;
    answer: {
      /** Comes back with the answer, once, within 5 minutes. */
      ticket: string;
      /** WebAuthn's request options, as JSON. */
      options: Record<string, unknown>;
    };
  };
  /** Log in by passkey */
  "POST /v1/auth/passkey": {
    params: undefined;
    query: undefined;
    body: {
      ticket: string;
      response: {
        id: string;
        rawId: string;
        type: "public-key";
        response: {
          clientDataJSON: string;
          authenticatorData: string;
          signature: string;
          userHandle?: string | undefined;
        };
        clientExtensionResults?: Record<string, unknown> | undefined;
      };
    };
    answer: {
      /** Whether a code is asked for: then nobody is logged in yet. */
      second_factor: boolean;
      /** For `second-factor`: good for 5 tries within 5 minutes. */
      ticket?: string | undefined;
    };
  };
  /** Ask for a link to choose a new password */
  "POST /v1/auth/forgot": {
    params: undefined;
    query: undefined;
    body: {
      /** An e-mail address. */
      email: string;
    };
    answer: {
      sent: "mail" | "log";
    };
  };
  /** Choose a new password by the link from a mail */
  "POST /v1/auth/reset": {
    params: undefined;
    query: undefined;
    body: {
      token: string;
      password: string;
    };
    answer: {
      /** Whether a code is asked for: then nobody is logged in yet. */
      second_factor: boolean;
      /** For `second-factor`: good for 5 tries within 5 minutes. */
      ticket?: string | undefined;
    };
  };
  /** The message that a wallet signs to log in */
  "POST /v1/auth/wallet-options": {
    params: undefined;
    query: undefined;
    body: {
      address: string;
    };
    answer: {
      /** For the wallet to sign, once, within 5 minutes. */
      message: string;
      /** The nonce in it. */
      nonce: string;
      chain_id: number;
      expires_at: string;
    };
  };
  /** Log in by a linked wallet */
  "POST /v1/auth/wallet": {
    params: undefined;
    query: undefined;
    body: {
      /** The message that was signed, as Sign-In with Ethereum has it. */
      message: string;
      signature: string;
    };
    answer: {
      /** Whether a code is asked for: then nobody is logged in yet. */
      second_factor: boolean;
      /** For `second-factor`: good for 5 tries within 5 minutes. */
      ticket?: string | undefined;
    };
  };
  /** Begin to log in by single sign-on */
  "POST /v1/auth/sso": {
    params: undefined;
    query: undefined;
    body: {
      /** An e-mail address. */
      email?: string | undefined;
      organisation?: string | undefined;
      /** The page of the dashboard to open afterwards. */
      return_to?: string | undefined;
    };
    answer: {
      /** The page of the identity provider. */
      url: string;
    };
  };
  /** Finish a log-in by single sign-on */
  "POST /v1/auth/sso/callback": {
    params: undefined;
    query: undefined;
    body: {
      provider_id: string;
      /** The query of the callback page's address. */
      query: string;
    };
    answer: {
      /** The e-mail address to which a link was sent; null: the browser is logged in. */
      confirm: string | null;
      /** Where the link went. */
      sent: "mail" | "log" | null;
      return_to: string;
    };
  };
  /** Read a link for an address of single sign-on */
  "POST /v1/auth/sso/address": {
    params: undefined;
    query: undefined;
    body: {
      token: string;
    };
    answer: {
      organisation: string;
      email: string;
    };
  };
  /** Let an organisation's identity provider log you in, by the link from a mail */
  "POST /v1/auth/sso/confirm": {
    params: undefined;
    query: undefined;
    body: {
      token: string;
    };
    answer: {
      /** The e-mail address to which a link was sent; null: the browser is logged in. */
      confirm: string | null;
      /** Where the link went. */
      sent: "mail" | "log" | null;
      return_to: string;
    };
  };
  /** The organisation you act in */
  "GET /v1/organisation": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      name: string;
      /** The name under which its models appear. */
      provider: string;
      /** The provider name can't change any more: models were registered. */
      provider_fixed: boolean;
      /** It runs the service. */
      operator: boolean;
      /** It may look, but neither spend nor change anything. */
      suspended: boolean;
      created_at: string;
    };
  };
  /** Change the organisation's names */
  "PATCH /v1/organisation": {
    params: undefined;
    query: undefined;
    body: {
      name?: string | undefined;
      provider?: string | undefined;
    };
    answer: {
      id: string;
      name: string;
      /** The name under which its models appear. */
      provider: string;
      /** The provider name can't change any more: models were registered. */
      provider_fixed: boolean;
      /** It runs the service. */
      operator: boolean;
      /** It may look, but neither spend nor change anything. */
      suspended: boolean;
      created_at: string;
    };
  };
  /** Close the organisation */
  "DELETE /v1/organisation": {
    params: undefined;
    query: {
      /** Give up the credits that are left. */
      forfeit?: "true" | "false" | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  /** Make another organisation */
  "POST /v1/organisations": {
    params: undefined;
    query: undefined;
    body: {
      name: string;
    };
    answer: {
      id: string;
      name: string;
      /** The name under which its models appear. */
      provider: string;
      /** The provider name can't change any more: models were registered. */
      provider_fixed: boolean;
      /** It runs the service. */
      operator: boolean;
      /** It may look, but neither spend nor change anything. */
      suspended: boolean;
      created_at: string;
    };
  };
  /** List the organisation's members */
  "GET /v1/members": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        /** The person's. */
        id: string;
        name: string;
        email: string;
        role: "owner" | "admin" | "developer" | "billing" | "viewer";
        joined_at: string;
        /** When they last looked at this organisation. */
        last_seen_at: string | null;
        /** A password alone does not let them in. */
        two_factor: boolean;
        /** How many living keys of the organisation they made. */
        keys: number;
      }[];
      next_cursor: string | null;
    };
  };
  /** Change a member's role */
  "PATCH /v1/members/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      role: "owner" | "admin" | "developer" | "billing" | "viewer";
    };
    answer: {
      /** The person's. */
      id: string;
      name: string;
      email: string;
      role: "owner" | "admin" | "developer" | "billing" | "viewer";
      joined_at: string;
      /** When they last looked at this organisation. */
      last_seen_at: string | null;
      /** A password alone does not let them in. */
      two_factor: boolean;
      /** How many living keys of the organisation they made. */
      keys: number;
      role_before: "owner" | "admin" | "developer" | "billing" | "viewer";
    };
  };
  /** Remove a member, or leave */
  "DELETE /v1/members/{id}": {
    params: {
      id: string;
    };
    query: {
      /** Whether the keys that they made are revoked too. */
      revoke_keys?: "true" | "false" | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  /** List the invitations that wait to be accepted */
  "GET /v1/invitations": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly ({
        id: string;
        email: string;
        role: "owner" | "admin" | "developer" | "billing" | "viewer";
        invited_by: {
          id: string;
          name: string;
        } | null;
        state: "pending" | "expired";
        created_at: string;
        sent_at: string;
        expires_at: string;
      })[];
      next_cursor: string | null;
    };
  };
  /** Invite a person into the organisation */
  "POST /v1/invitations": {
    params: undefined;
    query: undefined;
    body: {
      email: string;
      role: "owner" | "admin" | "developer" | "billing" | "viewer";
    };
    answer: {
      id: string;
      email: string;
      role: "owner" | "admin" | "developer" | "billing" | "viewer";
      invited_by: {
        id: string;
        name: string;
      } | null;
      state: "pending" | "expired";
      created_at: string;
      sent_at: string;
      expires_at: string;
      /** Where no mail is sent: pass it on. Shown this once. */
      link?: string | undefined;
    };
  };
  /** Send an invitation once more */
  "POST /v1/invitations/{id}/resend": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      email: string;
      role: "owner" | "admin" | "developer" | "billing" | "viewer";
      invited_by: {
        id: string;
        name: string;
      } | null;
      state: "pending" | "expired";
      created_at: string;
      sent_at: string;
      expires_at: string;
      /** Where no mail is sent: pass it on. Shown this once. */
      link?: string | undefined;
    };
  };
  /** Take an invitation back */
  "DELETE /v1/invitations/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** What an invitation's link is for */
  "POST /v1/auth/invitation": {
    params: undefined;
    query: undefined;
    body: {
      token: string;
    };
    answer: {
      organisation: string;
      role: "owner" | "admin" | "developer" | "billing" | "viewer";
      email: string;
      invited_by: string | null;
      /** Whoever has this address must log in to accept. Without mail the inviter has the link too, so it is true only for the address's own session. */
      has_account: boolean;
    };
  };
  /** Accept an invitation */
  "POST /v1/auth/accept-invitation": {
    params: undefined;
    query: undefined;
    body: {
      token: string;
      name?: string | undefined;
      password?: string | undefined;
    };
    answer: {
      /** Nothing has happened yet: log in first, then accept again. */
      log_in: boolean;
      organisation: string | null;
    };
  };
  /** How the organisation's members log in by single sign-on */
  "GET /v1/organisation/sso": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      provider: {
        id: string;
        name: string;
        issuer: string;
        client_id: string;
        has_secret: boolean;
        scopes: readonly string[];
        groups_claim: string;
        role_rules: readonly {
          group: string;
          role: "admin" | "developer" | "billing" | "viewer";
        }[];
        default_role: "admin" | "developer" | "billing" | "viewer" | null;
        /** To be registered at the identity provider. */
        redirect_uri: string;
      } | null;
      enforced: boolean;
    };
  };
  /** Set up single sign-on by OpenID Connect */
  "PUT /v1/organisation/sso": {
    params: undefined;
    query: undefined;
    body: {
      /** What people enter to log in. */
      name: string;
      /** As the identity provider writes it, such as https://login.example.com. */
      issuer: string;
      client_id: string;
      /** Left out: it stays. `null`: there is none, PKCE alone protects the log-in. */
      client_secret?: string | null | undefined;
      scopes?: readonly string[] | undefined;
      groups_claim?: string | undefined;
      role_rules?: readonly {
        group: string;
        role: "admin" | "developer" | "billing" | "viewer";
      }[] | undefined;
      /** The role of people in none of these groups; `null`: they are refused. */
      default_role?: "admin" | "developer" | "billing" | "viewer" | null | undefined;
    };
    answer: {
      id: string;
      name: string;
      issuer: string;
      client_id: string;
      has_secret: boolean;
      scopes: readonly string[];
      groups_claim: string;
      role_rules: readonly {
        group: string;
        role: "admin" | "developer" | "billing" | "viewer";
      }[];
      default_role: "admin" | "developer" | "billing" | "viewer" | null;
      /** To be registered at the identity provider. */
      redirect_uri: string;
    };
  };
  /** End single sign-on */
  "DELETE /v1/organisation/sso": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Let members in by single sign-on only */
  "POST /v1/organisation/sso/enforcement": {
    params: undefined;
    query: undefined;
    body: {
      enforced: boolean;
    };
    answer: {
      enforced: boolean;
    };
  };
  /** The domains of the organisation's e-mail addresses */
  "GET /v1/organisation/domains": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        /** The domain. */
        name: string;
        verified_at: string | null;
        verified_by: "dns" | "operator" | null;
        /** Proves the domain. */
        record: {
          name: string;
          type: "TXT";
          value: string;
        };
      }[];
      next_cursor: null;
    };
  };
  /** Add a domain */
  "POST /v1/organisation/domains": {
    params: undefined;
    query: undefined;
    body: {
      /** The domain, such as example.com. */
      name: string;
    };
    answer: {
      /** The domain. */
      name: string;
      verified_at: string | null;
      verified_by: "dns" | "operator" | null;
      /** Proves the domain. */
      record: {
        name: string;
        type: "TXT";
        value: string;
      };
    };
  };
  /** Verify a domain by its DNS record */
  "POST /v1/organisation/domains/{name}/verify": {
    params: {
      name: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      /** The domain. */
      name: string;
      verified_at: string | null;
      verified_by: "dns" | "operator" | null;
      /** Proves the domain. */
      record: {
        name: string;
        type: "TXT";
        value: string;
      };
    };
  };
  /** Remove a domain */
  "DELETE /v1/organisation/domains/{name}": {
    params: {
      name: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Who did what in the organisation, newest first */
  "GET /v1/audit-log": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** The id of the person or key who did it. */
      actor?: string | undefined;
      /** An action such as `key.create`, or the beginning of some, such as `key.`. */
      action?: string | undefined;
      /** The first day, in the account's time zone. */
      from?: string | undefined;
      /** The last day, which counts as well. */
      to?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        /** What was done, such as `key.create`. */
        action: string;
        actor: {
          kind: "person" | "key" | "service";
          id: string | null;
          /** As they were called then. */
          name: string;
        };
        subject: {
          id: string | null;
          name: string | null;
        };
        details: Record<string, unknown>;
        address: string | null;
        created_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** The audit log as a signed file */
  "GET /v1/audit-log/export": {
    params: undefined;
    query: {
      /** The id of the person or key who did it. */
      actor?: string | undefined;
      /** An action such as `key.create`, or the beginning of some, such as `key.`. */
      action?: string | undefined;
      /** The first day, in the account's time zone. */
      from?: string | undefined;
      /** The last day, which counts as well. */
      to?: string | undefined;
    };
    body: undefined;
    answer: string;
  };
  /** The key that signs exports of the audit log */
  "GET /v1/audit-log/key": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      algorithm: "Ed25519";
      /** The 32 bytes of the public key, in base64url. */
      key: string;
    };
  };
  /** Who did what in every account, newest first */
  "GET /v1/admin/audit-log": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** The id of the person or key who did it. */
      actor?: string | undefined;
      /** An action such as `key.create`, or the beginning of some, such as `key.`. */
      action?: string | undefined;
      /** The first day, in the account's time zone. */
      from?: string | undefined;
      /** The last day, which counts as well. */
      to?: string | undefined;
      /** One account's alone. */
      account?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        /** What was done, such as `key.create`. */
        action: string;
        actor: {
          kind: "person" | "key" | "service";
          id: string | null;
          /** As they were called then. */
          name: string;
        };
        subject: {
          id: string | null;
          name: string | null;
        };
        details: Record<string, unknown>;
        address: string | null;
        created_at: string;
        account_id: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** The audit log of every account as a signed file */
  "GET /v1/admin/audit-log/export": {
    params: undefined;
    query: {
      /** The id of the person or key who did it. */
      actor?: string | undefined;
      /** An action such as `key.create`, or the beginning of some, such as `key.`. */
      action?: string | undefined;
      /** The first day, in the account's time zone. */
      from?: string | undefined;
      /** The last day, which counts as well. */
      to?: string | undefined;
      /** One account's alone. */
      account?: string | undefined;
    };
    body: undefined;
    answer: string;
  };
  /** The balance, what was spent, and how long it will last */
  "GET /v1/billing/summary": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      balance: number;
      /** Set aside for requests now running. */
      held: number;
      available: number;
      /** What is owed after refunds and disputes that the balance did not cover. */
      debt: number;
      currency: "credits";
      this_month: {
        month: string;
        spent: number;
      };
      last_month: {
        month: string;
        spent: number;
        /** As much of it as was spent when that month was as old as this one is now. */
        spent_by_now: number;
      };
      last_7_days: {
        spent: number;
      };
      /** How many days the balance lasts at the pace of the last 7; null where nothing was spent. */
      runway_days: number | null;
    };
  };
  /** Ways to add credits */
  "GET /v1/billing/methods": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        kind: "code" | "card" | "token";
        available: boolean;
        /** Why it is not offered. */
        reason: string | null;
        /** What a card is charged in; a credit costs one unit of it. */
        currency: string | null;
        /** The fewest credits that can be bought at once; null: any. */
        smallest: number | null;
        largest: number | null;
      }[];
      next_cursor: null;
    };
  };
  /** Whom receipts are made out to */
  "GET /v1/billing/details": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** Whom receipts are made out to; null: the organisation's own name. */
      company: string | null;
      /** Lines of the postal address. */
      address: readonly string[];
      country: string | null;
      /** Such as a VAT number. */
      tax_id: string | null;
      /** Who is asked about receipts; shown on them. */
      email: string | null;
    };
  };
  /** Change whom receipts are made out to */
  "PATCH /v1/billing/details": {
    params: undefined;
    query: undefined;
    body: {
      /** Whom receipts are made out to; null: the organisation's own name. */
      company?: string | null | undefined;
      /** Lines of the postal address. */
      address?: readonly string[] | undefined;
      country?: string | null | undefined;
      /** Such as a VAT number. */
      tax_id?: string | null | undefined;
      /** Who is asked about receipts; shown on them. */
      email?: string | null | undefined;
    };
    answer: {
      /** Whom receipts are made out to; null: the organisation's own name. */
      company: string | null;
      /** Lines of the postal address. */
      address: readonly string[];
      country: string | null;
      /** Such as a VAT number. */
      tax_id: string | null;
      /** Who is asked about receipts; shown on them. */
      email: string | null;
    };
  };
  /** When the account is told of its balance and budgets */
  "GET /v1/billing/alerts": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** `balance.low` is sent when the balance falls below this many credits; null: never. */
      low_balance: number | null;
      /** `budget.threshold` is sent when a key or the account has used these parts of its budget. */
      budget_thresholds: readonly number[];
      /** Whether owners, admins and billing members get low and exhausted balances and budgets by e-mail as well, where the service can send any. */
      email: boolean;
    };
  };
  /** Change when the account is told of its balance and budgets */
  "PATCH /v1/billing/alerts": {
    params: undefined;
    query: undefined;
    body: {
      /** `balance.low` is sent when the balance falls below this many credits; null: never. */
      low_balance?: number | null | undefined;
      /** `budget.threshold` is sent when a key or the account has used these parts of its budget. */
      budget_thresholds?: readonly number[] | undefined;
      /** Whether owners, admins and billing members get low and exhausted balances and budgets by e-mail as well, where the service can send any. */
      email?: boolean | undefined;
    };
    answer: {
      /** `balance.low` is sent when the balance falls below this many credits; null: never. */
      low_balance: number | null;
      /** `budget.threshold` is sent when a key or the account has used these parts of its budget. */
      budget_thresholds: readonly number[];
      /** Whether owners, admins and billing members get low and exhausted balances and budgets by e-mail as well, where the service can send any. */
      email: boolean;
    };
  };
  /** What the account may spend in a period, and what is left of it */
  "GET /v1/billing/budget": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** null: the account spends as much as its balance has. */
      budget: {
        /** Credits that all keys and members together may spend in a period. */
        limit: number;
        /** Periods begin in the account's time zone; weeks on Monday. */
        period: "day" | "week" | "month";
      } | null;
      /** In the running period. */
      spent: number | null;
      /** What can still be spent in it; 0 where more was spent than the limit is now. */
      left: number | null;
      period_start: string | null;
      period_end: string | null;
    };
  };
  /** Set what the account may spend in a period */
  "PUT /v1/billing/budget": {
    params: undefined;
    query: undefined;
    body: {
      /** Credits that all keys and members together may spend in a period. */
      limit: number;
      /** Periods begin in the account's time zone; weeks on Monday. */
      period: "day" | "week" | "month";
    };
    answer: {
      /** null: the account spends as much as its balance has. */
      budget: {
        /** Credits that all keys and members together may spend in a period. */
        limit: number;
        /** Periods begin in the account's time zone; weeks on Monday. */
        period: "day" | "week" | "month";
      } | null;
      /** In the running period. */
      spent: number | null;
      /** What can still be spent in it; 0 where more was spent than the limit is now. */
      left: number | null;
      period_start: string | null;
      period_end: string | null;
    };
  };
  /** Remove the account's budget */
  "DELETE /v1/billing/budget": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** null: the account spends as much as its balance has. */
      budget: {
        /** Credits that all keys and members together may spend in a period. */
        limit: number;
        /** Periods begin in the account's time zone; weeks on Monday. */
        period: "day" | "week" | "month";
      } | null;
      /** In the running period. */
      spent: number | null;
      /** What can still be spent in it; 0 where more was spent than the limit is now. */
      left: number | null;
      period_start: string | null;
      period_end: string | null;
    };
  };
  /** Ask the operator for credits */
  "POST /v1/billing/credit-requests": {
    params: undefined;
    query: undefined;
    body: {
      /** What the credits are for. The operator reads it. */
      message: string;
    };
    answer: {
      id: string;
      message: string;
      /** The e-mail address of the person who asked; null: a key asked. */
      requested_by: string | null;
      state: "open" | "granted" | "declined" | "withdrawn";
      /** What was granted, in credits. */
      amount: number | null;
      /** What the operator wrote. */
      reply: string | null;
      created_at: string;
      decided_at: string | null;
    };
  };
  /** List your requests for credits, newest first */
  "GET /v1/billing/credit-requests": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      state?: "open" | "granted" | "declined" | "withdrawn" | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        message: string;
        /** The e-mail address of the person who asked; null: a key asked. */
        requested_by: string | null;
        state: "open" | "granted" | "declined" | "withdrawn";
        /** What was granted, in credits. */
        amount: number | null;
        /** What the operator wrote. */
        reply: string | null;
        created_at: string;
        decided_at: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** Withdraw an open request for credits */
  "DELETE /v1/billing/credit-requests/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Redeem a code for credits */
  "POST /v1/redeem": {
    params: undefined;
    query: undefined;
    body: {
      code: string;
    };
    answer: {
      /** What was added. */
      credits: number;
      /** What the account has now. */
      balance: number;
      /** The transaction, and the number of its receipt. */
      transaction_id: string;
    };
  };
  /** How to pay by token, and the rate */
  "GET /v1/billing/token": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      chain_id: number;
      contract: string;
      symbol: string;
      decimals: number;
      /** Where linked wallets send tokens to. */
      treasury: string;
      /** Takes `deposit(amount, reference)` from any wallet. */
      deposit_contract: string | null;
      /** Names this account for the deposit contract, and nothing else. */
      reference: string;
      /** Null while the price source has no fresh price. A payment counts by the rate in its own block. */
      rate: {
        credits_per_token: string;
        source: "fixed" | "price_feed";
      } | null;
      /** Blocks until a payment counts; null: when the chain calls it final. */
      confirmations: number | null;
    };
  };
  /** Token payments, newest first, and those on their way */
  "GET /v1/billing/token/deposits": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        state: "unclaimed" | "credited" | "empty" | "review";
        chain_id: number;
        transaction: string;
        log_index: number;
        block: number;
        from: string;
        /** Tokens that were announced. */
        amount: string;
        /** Tokens that arrived. */
        received: string;
        credits_per_token: string | null;
        credits: number | null;
        note: string | null;
        created_at: string;
        credited_at: string | null;
      }[];
      next_cursor: string | null;
      /** Not final yet: these vanish if the chain drops their block. */
      pending: readonly {
        transaction: string;
        log_index: number;
        block: number;
        from: string;
        amount: string;
        /** What it is worth now. */
        credits: number | null;
        /** Blocks so far, its own included. */
        confirmations: number;
        confirmations_needed: number;
      }[];
    };
  };
  /** The message that a wallet signs to be linked */
  "POST /v1/billing/wallets/challenge": {
    params: undefined;
    query: undefined;
    body: {
      address: string;
    };
    answer: {
      /** For the wallet to sign, once, within 5 minutes. */
      message: string;
      /** The nonce in it. */
      nonce: string;
      chain_id: number;
      expires_at: string;
    };
  };
  /** Link a wallet to the account */
  "POST /v1/billing/wallets": {
    params: undefined;
    query: undefined;
    body: {
      /** The message that was signed, as Sign-In with Ethereum has it. */
      message: string;
      signature: string;
      name?: string | undefined;
      /** Whether you, who are logged in, may log in by it. */
      log_in?: boolean | undefined;
      /** The current password. It may be left out in the 15 minutes after a log-in. */
      current?: string | undefined;
    };
    answer: {
      address: string;
      name: string;
      /** Whether a person may log in by it. */
      log_in: boolean;
      created_at: string;
    };
  };
  /** Linked wallets */
  "GET /v1/billing/wallets": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        address: string;
        name: string;
        /** Whether a person may log in by it. */
        log_in: boolean;
        created_at: string;
      }[];
      next_cursor: null;
    };
  };
  /** Unlink a wallet */
  "DELETE /v1/billing/wallets/{address}": {
    params: {
      address: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Buy credits by card */
  "POST /v1/billing/checkout": {
    params: undefined;
    query: undefined;
    body: {
      /** The credits to buy. One costs one unit of the currency. */
      amount: number;
      /** Whether the card may be charged for automatic top-ups later. */
      save_card?: boolean | undefined;
    };
    answer: {
      /** The order. */
      id: string;
      url: string;
    };
  };
  /** Orders that are paid by card, newest first */
  "GET /v1/billing/orders": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        /** `auto`: charged to the saved card by an automatic top-up. */
        kind: "checkout" | "auto";
        /** `mismatch`: something else was paid than was ordered; nothing is credited. */
        state: "open" | "paid" | "failed" | "expired" | "mismatch";
        credits: number;
        currency: string;
        refunded: number;
        disputed: number;
        dispute_state: string | null;
        /** Why it was not paid. */
        reason: string | null;
        created_at: string;
        paid_at: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** An order */
  "GET /v1/billing/orders/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      /** `auto`: charged to the saved card by an automatic top-up. */
      kind: "checkout" | "auto";
      /** `mismatch`: something else was paid than was ordered; nothing is credited. */
      state: "open" | "paid" | "failed" | "expired" | "mismatch";
      credits: number;
      currency: string;
      refunded: number;
      disputed: number;
      dispute_state: string | null;
      /** Why it was not paid. */
      reason: string | null;
      created_at: string;
      paid_at: string | null;
    };
  };
  /** Automatic top-ups */
  "GET /v1/billing/auto-top-up": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      enabled: boolean;
      /** null: never set. */
      threshold: number | null;
      amount: number | null;
      monthly_ceiling: number | null;
      bought_this_month: number;
      /** Why the service has stopped it, such as a declined card. */
      stopped_reason: string | null;
      /** The card that is charged. */
      card: {
        brand: string;
        last4: string;
      } | null;
    };
  };
  /** Set automatic top-ups */
  "PUT /v1/billing/auto-top-up": {
    params: undefined;
    query: undefined;
    body: {
      enabled: boolean;
      /** A payment is made when the balance falls below this. */
      threshold: number;
      /** The credits that are bought; not below `threshold`. */
      amount: number;
      /** The most credits that are bought automatically in a month of the account's time zone. */
      monthly_ceiling: number;
    };
    answer: {
      enabled: boolean;
      /** null: never set. */
      threshold: number | null;
      amount: number | null;
      monthly_ceiling: number | null;
      bought_this_month: number;
      /** Why the service has stopped it, such as a declined card. */
      stopped_reason: string | null;
      /** The card that is charged. */
      card: {
        brand: string;
        last4: string;
      } | null;
    };
  };
  /** Remove the saved card */
  "DELETE /v1/billing/card": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Receive an event of Stripe */
  "POST /v1/stripe/webhook": {
    params: undefined;
    query: undefined;
    body: Record<string, unknown>;
    answer: {
      received: true;
    };
  };
  /** What came in and what was spent, newest first */
  "GET /v1/transactions": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      kind?: "all" | "grant" | "redeem" | "purchase" | "deposit" | "x402" | "dispute_won" | "refund" | "dispute" | "debt" | "charge" | undefined;
      /** The first day, in the account's time zone. */
      from?: string | undefined;
      /** The last day. */
      to?: string | undefined;
      /** `day`: the charges of a day are one line, after what came in on it. `none`: each by itself. */
      group?: "day" | "none" | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        /** The number of a receipt or of what was taken back, a day, or a request's id. */
        id: string;
        kind: "grant" | "redeem" | "purchase" | "deposit" | "x402" | "dispute_won" | "refund" | "dispute" | "debt" | "charge";
        /** The day in the account's time zone. */
        date: string;
        /** null for the charges of a day. */
        created_at: string | null;
        description: string;
        /** Credits; below zero where they were spent or taken back. */
        amount: number;
        /** Below zero: what the account owes. */
        balance_after: number;
        /** How many requests were answered on this day, those that cost nothing too. */
        requests: number | null;
        request_id: string | null;
        /** provider/name */
        model: string | null;
        key_id: string | null;
        key_name: string | null;
        input_tokens: number | null;
        output_tokens: number | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** Receipts for everything that came in, newest first */
  "GET /v1/receipts": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        /** Consecutive for each account and year. */
        number: string;
        kind: "grant" | "redeem" | "purchase" | "deposit" | "x402" | "dispute_won" | "refund" | "dispute" | "debt";
        /** The day in the account's time zone. */
        date: string;
        created_at: string;
        description: string;
        amount: number;
      }[];
      next_cursor: string | null;
    };
  };
  /** A receipt */
  "GET /v1/receipts/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      /** Consecutive for each account and year. */
      number: string;
      kind: "grant" | "redeem" | "purchase" | "deposit" | "x402" | "dispute_won" | "refund" | "dispute" | "debt";
      /** The day in the account's time zone. */
      date: string;
      created_at: string;
      description: string;
      amount: number;
      issuer: {
        name: string;
        url: string | null;
      };
      recipient: {
        /** Whom receipts are made out to; null: the organisation's own name. */
        company: string | null;
        /** Lines of the postal address. */
        address: readonly string[];
        country: string | null;
        /** Such as a VAT number. */
        tax_id: string | null;
        /** Who is asked about receipts; shown on them. */
        email: string | null;
        /** The organisation's own name. */
        name: string;
      };
    };
  };
  /** Statements of the months in which anything happened, newest first */
  "GET /v1/statements": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        month: string;
        opening_balance: number;
        incoming: number;
        /** What was taken back by refunds and disputes. */
        refunds: number;
        charges: number;
        /** The opening balance, and what came in, less refunds and charges. Below zero: what the account owes. */
        closing_balance: number;
      }[];
      next_cursor: string | null;
    };
  };
  /** A month's statement */
  "GET /v1/statements/{month}": {
    params: {
      month: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      month: string;
      opening_balance: number;
      incoming: number;
      /** What was taken back by refunds and disputes. */
      refunds: number;
      charges: number;
      /** The opening balance, and what came in, less refunds and charges. Below zero: what the account owes. */
      closing_balance: number;
      from: string;
      /** The first moment after the month. */
      to: string;
      time_zone: string;
      /** Whether the month is over. */
      complete: boolean;
      receipts: readonly {
        id: string;
        /** Consecutive for each account and year. */
        number: string;
        kind: "grant" | "redeem" | "purchase" | "deposit" | "x402" | "dispute_won" | "refund" | "dispute" | "debt";
        /** The day in the account's time zone. */
        date: string;
        created_at: string;
        description: string;
        amount: number;
      }[];
      /** Refunds and disputes; their amounts are below zero. */
      taken_back: readonly {
        id: string;
        /** Consecutive for each account and year. */
        number: string;
        kind: "grant" | "redeem" | "purchase" | "deposit" | "x402" | "dispute_won" | "refund" | "dispute" | "debt";
        /** The day in the account's time zone. */
        date: string;
        created_at: string;
        description: string;
        amount: number;
      }[];
      by_model: readonly {
        requests: number;
        cost: number;
        model: string;
      }[];
      by_key: readonly {
        requests: number;
        cost: number;
        key_id: string;
        key_name: string | null;
      }[];
      issuer: {
        name: string;
        url: string | null;
      };
      recipient: {
        /** Whom receipts are made out to; null: the organisation's own name. */
        company: string | null;
        /** Lines of the postal address. */
        address: readonly string[];
        country: string | null;
        /** Such as a VAT number. */
        tax_id: string | null;
        /** Who is asked about receipts; shown on them. */
        email: string | null;
        /** The organisation's own name. */
        name: string;
      };
    };
  };
  /** A month's statement as a PDF */
  "GET /v1/statements/{month}/pdf": {
    params: {
      month: string;
    };
    query: undefined;
    body: undefined;
    answer: string;
  };
  /** What the service owes to all accounts, with the root of the tree that proves it */
  "GET /v1/proof": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        made_at: string;
        /** The root's SHA-256, in hexadecimal digits. */
        root: string;
        /** In whole nano-credits, as text: a JSON number would round it. */
        total: string;
        accounts: number;
      }[];
      next_cursor: null;
    };
  };
  /** The proof that the account's balance is part of what the service owes */
  "GET /v1/balance/proof": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      account_id: string;
      /** The balance, and what the account is owed as a provider, in whole nano-credits. */
      amount: string;
      /** What makes the leaf's hash unguessable. Keep it to yourself. */
      salt: string;
      path: readonly {
        side: "left" | "right";
        hash: string;
        /** In whole nano-credits, as text: a JSON number would round it. */
        sum: string;
      }[];
      /** The root's SHA-256, in hexadecimal digits. */
      root: string;
      /** In whole nano-credits, as text: a JSON number would round it. */
      total: string;
      made_at: string;
    };
  };
  /** Make a key */
  "POST /v1/keys": {
    params: undefined;
    query: undefined;
    body: {
      name: string;
      /** What the key may do. A key can't grant a scope that it lacks. */
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      expires_at?: string | null | undefined;
      requests_per_minute?: number | null | undefined;
      budget?: {
        /** Credits; at most 9 decimals. */
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null | undefined;
      /** Names or provider/names; absent: all. */
      models?: readonly string[] | null | undefined;
      ips?: readonly string[] | null | undefined;
      /** The sites whose pages may use the key; absent: those of the account's settings, and none if it has a scope besides `inference` and `read`. */
      origins?: readonly string[] | null | undefined;
      /** For how long this key's answers may be given again at no cost; absent: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike two questions must be to count as one; absent: exactly alike. */
        similarity?: number | null | undefined;
      } | null | undefined;
      /** What may become of the data of its requests, besides the account's rules; absent: no rule of its own. */
      data_rules?: {
        /** Where requests may be processed: countries by ISO 3166, `eu` or `eea`. null: anywhere. */
        regions?: readonly string[] | null | undefined;
        /** For how many days a provider may keep the data of requests. 0: not at all. null: any time. */
        retention_days?: number | null | undefined;
      } | null | undefined;
      /** What this key says of safety, laid over what the account says; absent: nothing. */
      safety?: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at?: number | null | undefined;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at?: number | null | undefined;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null | undefined;
    };
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      /** Enough of the secret to recognise it by. */
      hint: string;
      expires_at: string | null;
      requests_per_minute: number | null;
      budget: {
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null;
      models: readonly string[] | null;
      ips: readonly string[] | null;
      origins: readonly string[] | null;
      cache: {
        ttl: number;
        similarity: number | null;
      } | null;
      safety: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      } | null;
      created_at: string;
      last_used_at: string | null;
      state: "active" | "expired" | "revoked";
      /** Answered requests, ever. */
      requests: number;
      spent: {
        /** In the running period of its budget; null: it has none. */
        period: number | null;
        /** When its budget begins anew; null: never. */
        period_ends_at: string | null;
        /** Ever. */
        total: number;
      };
      /** The member who made it; null: another key did, or the operator. */
      made_by: {
        id: string;
        name: string;
      } | null;
      /** Until when a secret from before the last rotation still holds; null: none does. */
      old_secret_ends_at: string | null;
      revoked_at: string | null;
      /** The secret. Shown this once. */
      key: string;
    };
  };
  /** List the account's keys */
  "GET /v1/keys": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Default: active and expired ones. */
      state?: "active" | "expired" | "revoked" | undefined;
      /** A part of the name or of the hint. Never send a secret here. */
      q?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly ({
        id: string;
        name: string;
        scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
        /** Enough of the secret to recognise it by. */
        hint: string;
        expires_at: string | null;
        requests_per_minute: number | null;
        budget: {
          limit: number;
          period: "day" | "week" | "month" | "total";
        } | null;
        models: readonly string[] | null;
        ips: readonly string[] | null;
        origins: readonly string[] | null;
        cache: {
          ttl: number;
          similarity: number | null;
        } | null;
        safety: {
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
          /** Rules for some models alone, laid over the rest in their order. */
          exceptions?: readonly {
            /** Names or provider/names; whether there are such models is not asked. */
            models?: readonly string[] | undefined;
            /** All models of these. */
            providers?: readonly string[] | undefined;
            /** Begins anew, whatever was said before; absent: what holds without it. */
            preset?: "strict" | "balanced" | "off" | undefined;
            /** What differs: an action for whatever would at least be reported without it, or scores. */
            categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
              /** From which score on; null: never. */
              report_at: number | null;
              /** From which score on values are taken out; null: never. */
              redact_at: number | null;
              /** From which score on; null: never. */
              refuse_at: number | null;
            }> | undefined;
          }[] | undefined;
          /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
          allow_list?: readonly string[] | undefined;
          /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
          dry_run?: boolean | undefined;
          /** Whether values that were taken out of a request are put back into its answer. Default true. */
          restore?: boolean | undefined;
        } | null;
        data_rules: {
          regions: readonly string[] | null;
          retention_days: number | null;
        } | null;
        created_at: string;
        last_used_at: string | null;
        state: "active" | "expired" | "revoked";
        /** Answered requests, ever. */
        requests: number;
        spent: {
          /** In the running period of its budget; null: it has none. */
          period: number | null;
          /** When its budget begins anew; null: never. */
          period_ends_at: string | null;
          /** Ever. */
          total: number;
        };
        /** The member who made it; null: another key did, or the operator. */
        made_by: {
          id: string;
          name: string;
        } | null;
        /** Until when a secret from before the last rotation still holds; null: none does. */
        old_secret_ends_at: string | null;
        revoked_at: string | null;
      })[];
      next_cursor: string | null;
    };
  };
  /** Which scopes you can give to a key */
  "GET /v1/keys/scopes": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        scope: "inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin";
        can_give: boolean;
      }[];
      next_cursor: null;
    };
  };
  /** Read a key */
  "GET /v1/keys/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      /** Enough of the secret to recognise it by. */
      hint: string;
      expires_at: string | null;
      requests_per_minute: number | null;
      budget: {
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null;
      models: readonly string[] | null;
      ips: readonly string[] | null;
      origins: readonly string[] | null;
      cache: {
        ttl: number;
        similarity: number | null;
      } | null;
      safety: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      } | null;
      created_at: string;
      last_used_at: string | null;
      state: "active" | "expired" | "revoked";
      /** Answered requests, ever. */
      requests: number;
      spent: {
        /** In the running period of its budget; null: it has none. */
        period: number | null;
        /** When its budget begins anew; null: never. */
        period_ends_at: string | null;
        /** Ever. */
        total: number;
      };
      /** The member who made it; null: another key did, or the operator. */
      made_by: {
        id: string;
        name: string;
      } | null;
      /** Until when a secret from before the last rotation still holds; null: none does. */
      old_secret_ends_at: string | null;
      revoked_at: string | null;
    };
  };
  /** Change a key */
  "PATCH /v1/keys/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      name?: string | undefined;
      /** What the key may do. A key can't grant a scope that it lacks. */
      scopes?: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[] | undefined;
      expires_at?: string | null | undefined;
      requests_per_minute?: number | null | undefined;
      budget?: {
        /** Credits; at most 9 decimals. */
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null | undefined;
      /** Names or provider/names; absent: all. */
      models?: readonly string[] | null | undefined;
      ips?: readonly string[] | null | undefined;
      /** The sites whose pages may use the key; absent: those of the account's settings, and none if it has a scope besides `inference` and `read`. */
      origins?: readonly string[] | null | undefined;
      /** For how long this key's answers may be given again at no cost; absent: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike two questions must be to count as one; absent: exactly alike. */
        similarity?: number | null | undefined;
      } | null | undefined;
      /** What may become of the data of its requests, besides the account's rules; absent: no rule of its own. */
      data_rules?: {
        /** Where requests may be processed: countries by ISO 3166, `eu` or `eea`. null: anywhere. */
        regions?: readonly string[] | null | undefined;
        /** For how many days a provider may keep the data of requests. 0: not at all. null: any time. */
        retention_days?: number | null | undefined;
      } | null | undefined;
      /** What this key says of safety, laid over what the account says; absent: nothing. */
      safety?: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at?: number | null | undefined;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at?: number | null | undefined;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null | undefined;
    };
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      /** Enough of the secret to recognise it by. */
      hint: string;
      expires_at: string | null;
      requests_per_minute: number | null;
      budget: {
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null;
      models: readonly string[] | null;
      ips: readonly string[] | null;
      origins: readonly string[] | null;
      cache: {
        ttl: number;
        similarity: number | null;
      } | null;
      safety: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      } | null;
      created_at: string;
      last_used_at: string | null;
      state: "active" | "expired" | "revoked";
      /** Answered requests, ever. */
      requests: number;
      spent: {
        /** In the running period of its budget; null: it has none. */
        period: number | null;
        /** When its budget begins anew; null: never. */
        period_ends_at: string | null;
        /** Ever. */
        total: number;
      };
      /** The member who made it; null: another key did, or the operator. */
      made_by: {
        id: string;
        name: string;
      } | null;
      /** Until when a secret from before the last rotation still holds; null: none does. */
      old_secret_ends_at: string | null;
      revoked_at: string | null;
    };
  };
  /** Revoke a key */
  "DELETE /v1/keys/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Give a key a new secret */
  "POST /v1/keys/{id}/rotate": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** How long the old secret lives on. Default 86400. */
      grace_seconds?: number | undefined;
    } | undefined;
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      /** Enough of the secret to recognise it by. */
      hint: string;
      expires_at: string | null;
      requests_per_minute: number | null;
      budget: {
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null;
      models: readonly string[] | null;
      ips: readonly string[] | null;
      origins: readonly string[] | null;
      cache: {
        ttl: number;
        similarity: number | null;
      } | null;
      safety: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      } | null;
      created_at: string;
      last_used_at: string | null;
      state: "active" | "expired" | "revoked";
      /** Answered requests, ever. */
      requests: number;
      spent: {
        /** In the running period of its budget; null: it has none. */
        period: number | null;
        /** When its budget begins anew; null: never. */
        period_ends_at: string | null;
        /** Ever. */
        total: number;
      };
      /** The member who made it; null: another key did, or the operator. */
      made_by: {
        id: string;
        name: string;
      } | null;
      old_secret_ends_at: string;
      revoked_at: string | null;
      /** The secret. Shown this once. */
      key: string;
    };
  };
  /** Make a service account */
  "POST /v1/service-accounts": {
    params: undefined;
    query: undefined;
    body: {
      name: string;
      /** What the key may do. A key can't grant a scope that it lacks. */
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      expires_at?: string | null | undefined;
      requests_per_minute?: number | null | undefined;
      budget?: {
        /** Credits; at most 9 decimals. */
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null | undefined;
      /** Names or provider/names; absent: all. */
      models?: readonly string[] | null | undefined;
      ips?: readonly string[] | null | undefined;
      /** The sites whose pages may use the key; absent: those of the account's settings, and none if it has a scope besides `inference` and `read`. */
      origins?: readonly string[] | null | undefined;
      /** For how long this key's answers may be given again at no cost; absent: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike two questions must be to count as one; absent: exactly alike. */
        similarity?: number | null | undefined;
      } | null | undefined;
      /** What may become of the data of its requests, besides the account's rules; absent: no rule of its own. */
      data_rules?: {
        /** Where requests may be processed: countries by ISO 3166, `eu` or `eea`. null: anywhere. */
        regions?: readonly string[] | null | undefined;
        /** For how many days a provider may keep the data of requests. 0: not at all. null: any time. */
        retention_days?: number | null | undefined;
      } | null | undefined;
      /** What this key says of safety, laid over what the account says; absent: nothing. */
      safety?: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at?: number | null | undefined;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at?: number | null | undefined;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null | undefined;
    };
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      /** Enough of the secret to recognise it by. */
      hint: string;
      expires_at: string | null;
      requests_per_minute: number | null;
      budget: {
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null;
      models: readonly string[] | null;
      ips: readonly string[] | null;
      origins: readonly string[] | null;
      cache: {
        ttl: number;
        similarity: number | null;
      } | null;
      safety: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      } | null;
      created_at: string;
      last_used_at: string | null;
      state: "active" | "expired" | "revoked";
      /** Answered requests, ever. */
      requests: number;
      spent: {
        /** In the running period of its budget; null: it has none. */
        period: number | null;
        /** When its budget begins anew; null: never. */
        period_ends_at: string | null;
        /** Ever. */
        total: number;
      };
      /** The member who made it; null: another key did, or the operator. */
      made_by: {
        id: string;
        name: string;
      } | null;
      /** Until when a secret from before the last rotation still holds; null: none does. */
      old_secret_ends_at: string | null;
      revoked_at: string | null;
    };
  };
  /** List the service accounts */
  "GET /v1/service-accounts": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly ({
        id: string;
        name: string;
        scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
        /** Enough of the secret to recognise it by. */
        hint: string;
        expires_at: string | null;
        requests_per_minute: number | null;
        budget: {
          limit: number;
          period: "day" | "week" | "month" | "total";
        } | null;
        models: readonly string[] | null;
        ips: readonly string[] | null;
        origins: readonly string[] | null;
        cache: {
          ttl: number;
          similarity: number | null;
        } | null;
        safety: {
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
          /** Rules for some models alone, laid over the rest in their order. */
          exceptions?: readonly {
            /** Names or provider/names; whether there are such models is not asked. */
            models?: readonly string[] | undefined;
            /** All models of these. */
            providers?: readonly string[] | undefined;
            /** Begins anew, whatever was said before; absent: what holds without it. */
            preset?: "strict" | "balanced" | "off" | undefined;
            /** What differs: an action for whatever would at least be reported without it, or scores. */
            categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
              /** From which score on; null: never. */
              report_at: number | null;
              /** From which score on values are taken out; null: never. */
              redact_at: number | null;
              /** From which score on; null: never. */
              refuse_at: number | null;
            }> | undefined;
          }[] | undefined;
          /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
          allow_list?: readonly string[] | undefined;
          /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
          dry_run?: boolean | undefined;
          /** Whether values that were taken out of a request are put back into its answer. Default true. */
          restore?: boolean | undefined;
        } | null;
        data_rules: {
          regions: readonly string[] | null;
          retention_days: number | null;
        } | null;
        created_at: string;
        last_used_at: string | null;
        state: "active" | "expired" | "revoked";
        /** Answered requests, ever. */
        requests: number;
        spent: {
          /** In the running period of its budget; null: it has none. */
          period: number | null;
          /** When its budget begins anew; null: never. */
          period_ends_at: string | null;
          /** Ever. */
          total: number;
        };
        /** The member who made it; null: another key did, or the operator. */
        made_by: {
          id: string;
          name: string;
        } | null;
        /** Until when a secret from before the last rotation still holds; null: none does. */
        old_secret_ends_at: string | null;
        revoked_at: string | null;
      })[];
      next_cursor: string | null;
    };
  };
  /** Read a service account */
  "GET /v1/service-accounts/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      /** Enough of the secret to recognise it by. */
      hint: string;
      expires_at: string | null;
      requests_per_minute: number | null;
      budget: {
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null;
      models: readonly string[] | null;
      ips: readonly string[] | null;
      origins: readonly string[] | null;
      cache: {
        ttl: number;
        similarity: number | null;
      } | null;
      safety: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      } | null;
      created_at: string;
      last_used_at: string | null;
      state: "active" | "expired" | "revoked";
      /** Answered requests, ever. */
      requests: number;
      spent: {
        /** In the running period of its budget; null: it has none. */
        period: number | null;
        /** When its budget begins anew; null: never. */
        period_ends_at: string | null;
        /** Ever. */
        total: number;
      };
      /** The member who made it; null: another key did, or the operator. */
      made_by: {
        id: string;
        name: string;
      } | null;
      /** Until when a secret from before the last rotation still holds; null: none does. */
      old_secret_ends_at: string | null;
      revoked_at: string | null;
    };
  };
  /** Change a service account */
  "PATCH /v1/service-accounts/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      name?: string | undefined;
      /** What the key may do. A key can't grant a scope that it lacks. */
      scopes?: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[] | undefined;
      expires_at?: string | null | undefined;
      requests_per_minute?: number | null | undefined;
      budget?: {
        /** Credits; at most 9 decimals. */
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null | undefined;
      /** Names or provider/names; absent: all. */
      models?: readonly string[] | null | undefined;
      ips?: readonly string[] | null | undefined;
      /** The sites whose pages may use the key; absent: those of the account's settings, and none if it has a scope besides `inference` and `read`. */
      origins?: readonly string[] | null | undefined;
      /** For how long this key's answers may be given again at no cost; absent: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike two questions must be to count as one; absent: exactly alike. */
        similarity?: number | null | undefined;
      } | null | undefined;
      /** What may become of the data of its requests, besides the account's rules; absent: no rule of its own. */
      data_rules?: {
        /** Where requests may be processed: countries by ISO 3166, `eu` or `eea`. null: anywhere. */
        regions?: readonly string[] | null | undefined;
        /** For how many days a provider may keep the data of requests. 0: not at all. null: any time. */
        retention_days?: number | null | undefined;
      } | null | undefined;
      /** What this key says of safety, laid over what the account says; absent: nothing. */
      safety?: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at?: number | null | undefined;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at?: number | null | undefined;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null | undefined;
    };
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      /** Enough of the secret to recognise it by. */
      hint: string;
      expires_at: string | null;
      requests_per_minute: number | null;
      budget: {
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null;
      models: readonly string[] | null;
      ips: readonly string[] | null;
      origins: readonly string[] | null;
      cache: {
        ttl: number;
        similarity: number | null;
      } | null;
      safety: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      } | null;
      created_at: string;
      last_used_at: string | null;
      state: "active" | "expired" | "revoked";
      /** Answered requests, ever. */
      requests: number;
      spent: {
        /** In the running period of its budget; null: it has none. */
        period: number | null;
        /** When its budget begins anew; null: never. */
        period_ends_at: string | null;
        /** Ever. */
        total: number;
      };
      /** The member who made it; null: another key did, or the operator. */
      made_by: {
        id: string;
        name: string;
      } | null;
      /** Until when a secret from before the last rotation still holds; null: none does. */
      old_secret_ends_at: string | null;
      revoked_at: string | null;
    };
  };
  /** Remove a service account */
  "DELETE /v1/service-accounts/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Whose tokens a service account trusts */
  "GET /v1/service-accounts/{id}/trusts": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        name: string;
        /** As the tokens have it in `iss`. */
        issuer: string;
        /** What the tokens have in `aud`. */
        audience: string;
        /** Every one must hold. */
        conditions: readonly {
          /** A claim of the token, such as `repository`, or a path with dots. */
          claim: string;
          /** One of these must be the claim's value. `*` stands for any characters. */
          values: readonly string[];
        }[];
        lifetime_seconds: number;
        created_at: string;
        last_used_at: string | null;
      }[];
      next_cursor: null;
    };
  };
  /** Trust the tokens of a workload */
  "POST /v1/service-accounts/{id}/trusts": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      name: string;
      /** As the tokens have it in `iss`. */
      issuer: string;
      /** What the tokens have in `aud`. */
      audience: string;
      /** Every one must hold. */
      conditions: readonly {
        /** A claim of the token, such as `repository`, or a path with dots. */
        claim: string;
        /** One of these must be the claim's value. `*` stands for any characters. */
        values: readonly string[];
      }[];
      /** How long a secret lives. */
      lifetime_seconds?: number | undefined;
    };
    answer: {
      id: string;
      name: string;
      /** As the tokens have it in `iss`. */
      issuer: string;
      /** What the tokens have in `aud`. */
      audience: string;
      /** Every one must hold. */
      conditions: readonly {
        /** A claim of the token, such as `repository`, or a path with dots. */
        claim: string;
        /** One of these must be the claim's value. `*` stands for any characters. */
        values: readonly string[];
      }[];
      lifetime_seconds: number;
      created_at: string;
      last_used_at: string | null;
    };
  };
  /** End a trust */
  "DELETE /v1/service-accounts/{id}/trusts/{trust}": {
    params: {
      id: string;
      trust: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Exchange the token of a workload for a short-lived key */
  "POST /v1/auth/token": {
    params: undefined;
    query: undefined;
    body: {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange";
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt" | "urn:ietf:params:oauth:token-type:id_token";
      subject_token: string;
      /** The id of the service account. */
      service_account: string;
      requested_token_type?: "urn:ietf:params:oauth:token-type:access_token" | undefined;
    };
    answer: {
      /** The key. */
      access_token: string;
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token";
      token_type: "Bearer";
      /** Seconds. */
      expires_in: number;
    };
  };
  /** Store your own key for a provider */
  "POST /v1/provider-keys": {
    params: undefined;
    query: undefined;
    body: {
      /** One of `GET /v1/provider-keys/providers`. */
      provider: string;
      /** A key, or the JSON of a service account (Vertex AI) or of an Azure resource. Write-only. Encrypted at rest, never shown again. */
      key: string;
      /** Whether the service's own key stands in, at the full price, where the provider refuses this one. Default: false. */
      fallback?: boolean | undefined;
    };
    answer: {
      id: string;
      provider: string;
      /** Its last four characters, or those of the name of a cloud's credential; empty where the key is short. */
      hint: string;
      fallback: boolean;
      created_at: string;
    };
  };
  /** List the account's own keys for providers, newest first */
  "GET /v1/provider-keys": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        provider: string;
        /** Its last four characters, or those of the name of a cloud's credential; empty where the key is short. */
        hint: string;
        fallback: boolean;
        created_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** List the providers that a key can be stored for */
  "GET /v1/provider-keys/providers": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** What a request under one's own key costs, of the model's price. */
      fee_percent: number;
      data: readonly {
        id: string;
        name: string;
      }[];
    };
  };
  /** Remove one of the account's own keys for a provider */
  "DELETE /v1/provider-keys/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Make a webhook */
  "POST /v1/webhooks": {
    params: undefined;
    query: undefined;
    body: {
      /** Where events are sent by POST. */
      url: string;
      /** The types of events to send. Absent or null: all, also those that come later. */
      events?: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "model.out_of_service" | "model.back_in_service" | "model.price_rise" | "auto_top_up.stopped")[] | null | undefined;
      description?: string | undefined;
    };
    answer: {
      id: string;
      url: string;
      events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "model.out_of_service" | "model.back_in_service" | "model.price_rise" | "auto_top_up.stopped")[] | null;
      description: string;
      enabled: boolean;
      /** Why the service switched it off. */
      disabled_reason: string | null;
      /** Since when nothing could be delivered. */
      failing_since: string | null;
      /** Until when the secret before this one signs too. */
      old_secret_ends_at: string | null;
      created_at: string;
      /** What events are signed with. Shown this once. */
      secret: string;
    };
  };
  /** List the account's webhooks */
  "GET /v1/webhooks": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        url: string;
        events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "model.out_of_service" | "model.back_in_service" | "model.price_rise" | "auto_top_up.stopped")[] | null;
        description: string;
        enabled: boolean;
        /** Why the service switched it off. */
        disabled_reason: string | null;
        /** Since when nothing could be delivered. */
        failing_since: string | null;
        /** Until when the secret before this one signs too. */
        old_secret_ends_at: string | null;
        created_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** Read a webhook */
  "GET /v1/webhooks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      url: string;
      events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "model.out_of_service" | "model.back_in_service" | "model.price_rise" | "auto_top_up.stopped")[] | null;
      description: string;
      enabled: boolean;
      /** Why the service switched it off. */
      disabled_reason: string | null;
      /** Since when nothing could be delivered. */
      failing_since: string | null;
      /** Until when the secret before this one signs too. */
      old_secret_ends_at: string | null;
      created_at: string;
    };
  };
  /** Change a webhook */
  "PATCH /v1/webhooks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** Where events are sent by POST. */
      url?: string | undefined;
      /** The types of events to send. Absent or null: all, also those that come later. */
      events?: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "model.out_of_service" | "model.back_in_service" | "model.price_rise" | "auto_top_up.stopped")[] | null | undefined;
      description?: string | undefined;
      /** Whether events are sent to it. */
      enabled?: boolean | undefined;
    };
    answer: {
      id: string;
      url: string;
      events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "model.out_of_service" | "model.back_in_service" | "model.price_rise" | "auto_top_up.stopped")[] | null;
      description: string;
      enabled: boolean;
      /** Why the service switched it off. */
      disabled_reason: string | null;
      /** Since when nothing could be delivered. */
      failing_since: string | null;
      /** Until when the secret before this one signs too. */
      old_secret_ends_at: string | null;
      created_at: string;
      /** The new secret, where the URL moved to another origin. */
      secret?: string | undefined;
    };
  };
  /** Delete a webhook */
  "DELETE /v1/webhooks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Give a webhook a new secret */
  "POST /v1/webhooks/{id}/rotate": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** How long the old secret lives on. Default 86400. */
      grace_seconds?: number | undefined;
    } | undefined;
    answer: {
      id: string;
      url: string;
      events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored" | "batch.completed" | "batch.failed" | "batch.expired" | "batch.cancelled" | "model.out_of_service" | "model.back_in_service" | "model.price_rise" | "auto_top_up.stopped")[] | null;
      description: string;
      enabled: boolean;
      /** Why the service switched it off. */
      disabled_reason: string | null;
      /** Since when nothing could be delivered. */
      failing_since: string | null;
      old_secret_ends_at: string;
      created_at: string;
      /** What events are signed with. Shown this once. */
      secret: string;
    };
  };
  /** Send a test event now */
  "POST /v1/webhooks/{id}/test": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      delivered: boolean;
      status: number | null;
      error: string | null;
      /** The first 1,024 bytes of the answer's body. */
      response: string;
      latency_ms: number;
    };
  };
  /** What became of a webhook's events, newest first */
  "GET /v1/webhooks/{id}/deliveries": {
    params: {
      id: string;
    };
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        event_id: string;
        type: string;
        attempts: number;
        last_attempt_at: string | null;
        /** What the endpoint answered last; null: nothing. */
        last_status: number | null;
        last_error: string | null;
        /** Null: it was delivered or given up. */
        next_attempt_at: string | null;
        delivered_at: string | null;
        created_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** Send the account's requests to a log of your own */
  "POST /v1/log-sinks": {
    params: undefined;
    query: undefined;
    body: {
      kind: "otlp" | "http" | "s3";
      /** Where records are sent. otlp: the address for traces. s3: the bucket, with a prefix if you like. */
      url: string;
      /** Headers for otlp, such as `Authorization`. They are never shown again. */
      headers?: Record<string, string> | undefined;
      /** The bucket's region, for s3. */
      region?: string | undefined;
      /** For s3. */
      access_key_id?: string | undefined;
      /** For s3. It is never shown again. */
      secret_access_key?: string | undefined;
      /** Whether prompts and answers are sent as well. Absent: they are not. */
      include_content?: boolean | undefined;
      /** The share of requests that are sent. Absent: all, 1. */
      share?: number | undefined;
      description?: string | undefined;
    };
    answer: {
      id: string;
      kind: "otlp" | "http" | "s3";
      url: string;
      region: string | null;
      access_key_id: string | null;
      include_content: boolean;
      share: number;
      description: string;
      enabled: boolean;
      /** Why records were dropped last. */
      last_error: string | null;
      last_error_at: string | null;
      created_at: string;
      /** What records are signed with. Shown this once. */
      secret?: string | undefined;
    };
  };
  /** List the account's log sinks */
  "GET /v1/log-sinks": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        kind: "otlp" | "http" | "s3";
        url: string;
        region: string | null;
        access_key_id: string | null;
        include_content: boolean;
        share: number;
        description: string;
        enabled: boolean;
        /** Why records were dropped last. */
        last_error: string | null;
        last_error_at: string | null;
        created_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** Read a log sink */
  "GET /v1/log-sinks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      kind: "otlp" | "http" | "s3";
      url: string;
      region: string | null;
      access_key_id: string | null;
      include_content: boolean;
      share: number;
      description: string;
      enabled: boolean;
      /** Why records were dropped last. */
      last_error: string | null;
      last_error_at: string | null;
      created_at: string;
    };
  };
  /** Change a log sink */
  "PATCH /v1/log-sinks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** Where records are sent. otlp: the address for traces. s3: the bucket, with a prefix if you like. */
      url?: string | undefined;
      /** Headers for otlp, such as `Authorization`. They are never shown again. */
      headers?: Record<string, string> | undefined;
      /** The bucket's region, for s3. */
      region?: string | undefined;
      /** For s3. */
      access_key_id?: string | undefined;
      /** For s3. It is never shown again. */
      secret_access_key?: string | undefined;
      /** Whether prompts and answers are sent as well. Absent: they are not. */
      include_content?: boolean | undefined;
      /** The share of requests that are sent. Absent: all, 1. */
      share?: number | undefined;
      description?: string | undefined;
      /** Whether records are sent to it. */
      enabled?: boolean | undefined;
    };
    answer: {
      id: string;
      kind: "otlp" | "http" | "s3";
      url: string;
      region: string | null;
      access_key_id: string | null;
      include_content: boolean;
      share: number;
      description: string;
      enabled: boolean;
      /** Why records were dropped last. */
      last_error: string | null;
      last_error_at: string | null;
      created_at: string;
      /** What records are signed with. Shown this once. */
      secret?: string | undefined;
    };
  };
  /** Delete a log sink */
  "DELETE /v1/log-sinks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Send a sample record now */
  "POST /v1/log-sinks/{id}/test": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      delivered: boolean;
      error: string | null;
    };
  };
  /** Have a service of your own judge requests and answers */
  "POST /v1/guardrail-hooks": {
    params: undefined;
    query: undefined;
    body: {
      /** What is asked, by POST. */
      url: string;
      /** Whether it is asked about requests, answers, or both. Absent: both. */
      sides?: readonly ("input" | "output")[] | undefined;
      /** How long a request waits for it. Absent: 2000. */
      timeout_ms?: number | undefined;
      /** Where it does not answer in time, or not with a decision. Absent: `refuse`. */
      on_failure?: "allow" | "refuse" | undefined;
      /** What it is asked about a streamed answer: `whole`, all of it at once, or `sections`, one after the other while it is streamed. Absent: `whole`. */
      stream?: "whole" | "sections" | undefined;
      /** With `sections`: a section ends with the first sentence or line that ends after this many characters, and has at most twice as many. Absent: 500. */
      section_characters?: number | undefined;
      description?: string | undefined;
    };
    answer: {
      id: string;
      url: string;
      sides: readonly ("input" | "output")[];
      timeout_ms: number;
      on_failure: "allow" | "refuse";
      stream: "whole" | "sections";
      section_characters: number;
      description: string;
      enabled: boolean;
      created_at: string;
      /** What calls are signed with. Shown this once. */
      secret: string;
    };
  };
  /** List the account's guardrail hooks */
  "GET /v1/guardrail-hooks": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        url: string;
        sides: readonly ("input" | "output")[];
        timeout_ms: number;
        on_failure: "allow" | "refuse";
        stream: "whole" | "sections";
        section_characters: number;
        description: string;
        enabled: boolean;
        created_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** Read a guardrail hook */
  "GET /v1/guardrail-hooks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      url: string;
      sides: readonly ("input" | "output")[];
      timeout_ms: number;
      on_failure: "allow" | "refuse";
      stream: "whole" | "sections";
      section_characters: number;
      description: string;
      enabled: boolean;
      created_at: string;
    };
  };
  /** Change a guardrail hook */
  "PATCH /v1/guardrail-hooks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** What is asked, by POST. */
      url?: string | undefined;
      /** Whether it is asked about requests, answers, or both. Absent: both. */
      sides?: readonly ("input" | "output")[] | undefined;
      /** How long a request waits for it. Absent: 2000. */
      timeout_ms?: number | undefined;
      /** Where it does not answer in time, or not with a decision. Absent: `refuse`. */
      on_failure?: "allow" | "refuse" | undefined;
      /** What it is asked about a streamed answer: `whole`, all of it at once, or `sections`, one after the other while it is streamed. Absent: `whole`. */
      stream?: "whole" | "sections" | undefined;
      /** With `sections`: a section ends with the first sentence or line that ends after this many characters, and has at most twice as many. Absent: 500. */
      section_characters?: number | undefined;
      description?: string | undefined;
      /** Whether it is asked. */
      enabled?: boolean | undefined;
    };
    answer: {
      id: string;
      url: string;
      sides: readonly ("input" | "output")[];
      timeout_ms: number;
      on_failure: "allow" | "refuse";
      stream: "whole" | "sections";
      section_characters: number;
      description: string;
      enabled: boolean;
      created_at: string;
      /** What calls are signed with. Shown this once. */
      secret?: string | undefined;
    };
  };
  /** Delete a guardrail hook */
  "DELETE /v1/guardrail-hooks/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Ask a guardrail hook about a sample text now */
  "POST /v1/guardrail-hooks/{id}/test": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      action: "allow" | "refuse" | "redact" | "failed";
      /** Why it refused, or why it failed. */
      reason: string | null;
      annotations: Record<string, string>;
    };
  };
  /** See what the safety check makes of a text */
  "POST /v1/safety/check": {
    params: undefined;
    query: undefined;
    body: {
      input: string;
      channel?: "user" | "document" | "application" | "output" | null | undefined;
      /** A name or provider/name, where rules for some models alone shall count. */
      model?: string | null | undefined;
      /** Tries these rules in place of the account's and the key's. Nothing is saved. */
      rules?: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at?: number | null | undefined;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at?: number | null | undefined;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | undefined;
    };
    answer: {
      flagged: boolean;
      action: "allow" | "report" | "redact" | "refuse";
      categories: Record<string, number>;
      spans: readonly {
        category: string;
        /** What the value there is, such as `email`, where it is one. */
        kind?: string | undefined;
        start: number;
        end: number;
      }[];
      /** What was undone before judging. */
      normalised: readonly string[];
      /** What a judge outside said, where the text was doubtful and there is one. */
      judge?: readonly {
        /** Whether more is done about the text than without it, less, or the same; `failed`: it gave none. */
        result: "raised" | "lowered" | "upheld" | "failed";
        /** Why there is none. */
        why?: "timeout" | "busy" | "unreachable" | "unreadable" | undefined;
        /** Our own scores of the categories that were in doubt. */
        doubts: Record<string, number>;
        /** What the judge said of these. */
        said: Record<string, number>;
        ms: number;
        /** It was asked about the same text within the last minute. */
        remembered: boolean;
      }[] | undefined;
      /** The policy is tried out: `action` says what would be done, and is not. */
      dry_run?: true | undefined;
    };
  };
  /** The account's safety policy */
  "GET /v1/safety/policy": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** What the account says itself; null: nothing. */
      rules: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      /** What holds for each category, where no key or exception says otherwise. */
      effective: Record<string, {
        report_at: number | null;
        redact_at: number | null;
        refuse_at: number | null;
      }>;
      /** Whether nothing but `sexual_minors` is acted on. */
      dry_run: boolean;
      /** The account and its keys can only be stricter than the service. */
      locked: boolean;
      /** Whose rules these are. */
      source: "service" | "account";
    };
  };
  /** Set the account's safety policy */
  "PUT /v1/safety/policy": {
    params: undefined;
    query: undefined;
    body: {
      /** Begins anew, whatever was said before; absent: what holds without it. */
      preset?: "strict" | "balanced" | "off" | undefined;
      /** What differs: an action for whatever would at least be reported without it, or scores. */
      categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on values are taken out; null: never. */
        redact_at?: number | null | undefined;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }> | undefined;
      /** Rules for some models alone, laid over the rest in their order. */
      exceptions?: readonly {
        /** Names or provider/names; whether there are such models is not asked. */
        models?: readonly string[] | undefined;
        /** All models of these. */
        providers?: readonly string[] | undefined;
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at?: number | null | undefined;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
      }[] | undefined;
      /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
      allow_list?: readonly string[] | undefined;
      /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
      dry_run?: boolean | undefined;
      /** Whether values that were taken out of a request are put back into its answer. Default true. */
      restore?: boolean | undefined;
    };
    answer: {
      /** What the account says itself; null: nothing. */
      rules: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      /** What holds for each category, where no key or exception says otherwise. */
      effective: Record<string, {
        report_at: number | null;
        redact_at: number | null;
        refuse_at: number | null;
      }>;
      /** Whether nothing but `sexual_minors` is acted on. */
      dry_run: boolean;
      /** The account and its keys can only be stricter than the service. */
      locked: boolean;
      /** Whose rules these are. */
      source: "service" | "account";
    };
  };
  /** Go back to the service's safety policy */
  "DELETE /v1/safety/policy": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** What the account says itself; null: nothing. */
      rules: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      /** What holds for each category, where no key or exception says otherwise. */
      effective: Record<string, {
        report_at: number | null;
        redact_at: number | null;
        refuse_at: number | null;
      }>;
      /** Whether nothing but `sexual_minors` is acted on. */
      dry_run: boolean;
      /** The account and its keys can only be stricter than the service. */
      locked: boolean;
      /** Whose rules these are. */
      source: "service" | "account";
    };
  };
  /** Register a model */
  "POST /v1/provider/models": {
    params: undefined;
    query: undefined;
    body: {
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
      description?: string | undefined;
      /** The provider's generate endpoint; with another wire than trunkline, the base URL of its API. */
      endpoint: string;
      /** The format that the provider speaks. Default: trunkline, our provider contract. */
      wire?: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | undefined;
      /** The provider's own name for it, where that is another. */
      upstream_model?: string | null | undefined;
      /** What the provider takes off its price for lines of batches, for example 0.5. Default: 0. */
      batch_discount?: number | undefined;
      /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** Write-only. Encrypted at rest, never shown again. */
      credential?: string | null | undefined;
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      };
      capabilities?: readonly string[] | undefined;
      specialties?: readonly string[] | undefined;
      performance?: {
        avg_latency_ms?: number | undefined;
        accuracy_score?: number | undefined;
      } | undefined;
      cost_efficiency?: string | undefined;
      streaming?: boolean | undefined;
      context_window?: number | undefined;
      max_output_tokens?: number | undefined;
      backups?: readonly string[] | undefined;
      limits?: {
        connect_ms?: number | undefined;
        first_byte_ms?: number | undefined;
        silence_ms?: number | undefined;
        whole_ms?: number | undefined;
        response_bytes?: number | undefined;
        chunk_bytes?: number | undefined;
      } | undefined;
      /** What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing. */
      data?: {
        /** All places where requests are processed: countries by ISO 3166, `eu` or `eea`. */
        regions?: readonly string[] | undefined;
        /** For how many days the data of requests is kept. 0: not at all. */
        retention_days?: number | undefined;
        /** Where it can be read. */
        source?: string | undefined;
      } | null | undefined;
      /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
      weight?: number | undefined;
      /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
      canary_share?: number | null | undefined;
      name: string;
    };
    answer: {
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
      description?: string | undefined;
      /** The provider's generate endpoint; with another wire than trunkline, the base URL of its API. */
      endpoint: string;
      /** The format that the provider speaks. Default: trunkline, our provider contract. */
      wire?: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | undefined;
      /** The provider's own name for it, where that is another. */
      upstream_model?: string | null | undefined;
      /** What the provider takes off its price for lines of batches, for example 0.5. Default: 0. */
      batch_discount?: number | undefined;
      /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** null: it can't be read, and the model is not called. */
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | null;
      capabilities?: readonly string[] | undefined;
      specialties?: readonly string[] | undefined;
      performance?: {
        avg_latency_ms?: number | undefined;
        accuracy_score?: number | undefined;
      } | undefined;
      cost_efficiency?: string | undefined;
      streaming?: boolean | undefined;
      context_window?: number | undefined;
      max_output_tokens?: number | undefined;
      backups?: readonly string[] | undefined;
      limits?: {
        connect_ms?: number | undefined;
        first_byte_ms?: number | undefined;
        silence_ms?: number | undefined;
        whole_ms?: number | undefined;
        response_bytes?: number | undefined;
        chunk_bytes?: number | undefined;
      } | undefined;
      /** What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing. */
      data?: {
        /** All places where requests are processed: countries by ISO 3166, `eu` or `eea`. */
        regions?: readonly unknown[] | undefined;
        /** For how many days the data of requests is kept. 0: not at all. */
        retention_days?: number | undefined;
        /** Where it can be read. */
        source?: string | undefined;
      } | null | undefined;
      /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
      weight?: number | undefined;
      /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
      canary_share?: number | null | undefined;
      /** A price that was announced, and from when it holds; null: none. */
      next_pricing: {
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        };
        effective_at: string;
      } | null;
      id: string;
      name: string;
      provider: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
      /** Declared in the configuration file, and changed only there. */
      declared: boolean;
      has_credential: boolean;
      price_version: string | null;
      created_at: string;
      /** Where it stands with your own usage reports: the newest of each day counts. */
      reconciliation: {
        flagged: boolean;
        flagged_days: number;
        last_flagged_day: string | null;
        last_reported_at: string | null;
      };
      /** From the calls of this instance, and of the others where it made none of late. */
      health: {
        /** Whether it would be called now. */
        available: boolean;
        /** ramping: it answered again, and gets a growing share of the calls. */
        breaker: "closed" | "open" | "half-open" | "ramping";
        calls: number;
        /** 0 to 1, of recent calls. */
        error_rate: number;
        latency_ms: number | null;
        /** Of the last 64 answers; null until there are 8. */
        latency_p95_ms: number | null;
        first_part_ms: number | null;
        /** Of the last 64 answers; null until there are 8. */
        first_part_p95_ms: number | null;
        tokens_per_second: number | null;
        /** Calls of this instance that run now. */
        in_flight: number;
        /** Calls that your endpoint said it still takes until its limit is reset. */
        room: number | null;
        /** Your endpoint refuses our credential, or says that nothing is paid for. It is tried only rarely until you change the model or it passes its check. */
        outage: {
          why: "credential" | "funds";
          reason: string;
          since: string;
          next_try_at: string;
        } | null;
      };
      /** What the last conformance check saw. */
      last_check: {
        passed: boolean;
        checked_at: string;
        findings: readonly {
          check: string;
          verdict: "pass" | "warn" | "fail";
          message: string;
        }[];
      } | null;
    };
  };
  /** List the models you registered */
  "GET /v1/provider/models": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly ({
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description?: string | undefined;
        /** The provider's generate endpoint; with another wire than trunkline, the base URL of its API. */
        endpoint: string;
        /** The format that the provider speaks. Default: trunkline, our provider contract. */
        wire?: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | undefined;
        /** The provider's own name for it, where that is another. */
        upstream_model?: string | null | undefined;
        /** What the provider takes off its price for lines of batches, for example 0.5. Default: 0. */
        batch_discount?: number | undefined;
        /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
        auth_type?: "bearer" | "x-api-key" | "none" | undefined;
        /** null: it can't be read, and the model is not called. */
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        } | null;
        capabilities?: readonly string[] | undefined;
        specialties?: readonly string[] | undefined;
        performance?: {
          avg_latency_ms?: number | undefined;
          accuracy_score?: number | undefined;
        } | undefined;
        cost_efficiency?: string | undefined;
        streaming?: boolean | undefined;
        context_window?: number | undefined;
        max_output_tokens?: number | undefined;
        backups?: readonly string[] | undefined;
        limits?: {
          connect_ms?: number | undefined;
          first_byte_ms?: number | undefined;
          silence_ms?: number | undefined;
          whole_ms?: number | undefined;
          response_bytes?: number | undefined;
          chunk_bytes?: number | undefined;
        } | undefined;
        /** What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing. */
        data?: {
          /** All places where requests are processed: countries by ISO 3166, `eu` or `eea`. */
          regions?: readonly unknown[] | undefined;
          /** For how many days the data of requests is kept. 0: not at all. */
          retention_days?: number | undefined;
          /** Where it can be read. */
          source?: string | undefined;
        } | null | undefined;
        /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
        weight?: number | undefined;
        /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
        canary_share?: number | null | undefined;
        /** A price that was announced, and from when it holds; null: none. */
        next_pricing: {
          pricing: {
            input_per_1k_tokens?: number | undefined;
            /** For input out of the provider's cache; null: as any other input. */
            cached_input_per_1k_tokens?: number | null | undefined;
            /** For input that is put into the provider's cache; null: as any other input. */
            cache_write_per_1k_tokens?: number | null | undefined;
            output_per_1k_tokens?: number | undefined;
            /** Credits; at most 9 decimals. */
            per_image?: number | undefined;
            /** Credits; at most 9 decimals. */
            per_request?: number | undefined;
            /** Credits for a second of audio, made or heard. */
            per_second?: number | undefined;
          };
          effective_at: string;
        } | null;
        id: string;
        name: string;
        provider: string;
        state: "pending" | "probation" | "active" | "suspended" | "blocked";
        /** Declared in the configuration file, and changed only there. */
        declared: boolean;
        has_credential: boolean;
        price_version: string | null;
        created_at: string;
        /** Where it stands with your own usage reports: the newest of each day counts. */
        reconciliation: {
          flagged: boolean;
          flagged_days: number;
          last_flagged_day: string | null;
          last_reported_at: string | null;
        };
        /** From the calls of this instance, and of the others where it made none of late. */
        health: {
          /** Whether it would be called now. */
          available: boolean;
          /** ramping: it answered again, and gets a growing share of the calls. */
          breaker: "closed" | "open" | "half-open" | "ramping";
          calls: number;
          /** 0 to 1, of recent calls. */
          error_rate: number;
          latency_ms: number | null;
          /** Of the last 64 answers; null until there are 8. */
          latency_p95_ms: number | null;
          first_part_ms: number | null;
          /** Of the last 64 answers; null until there are 8. */
          first_part_p95_ms: number | null;
          tokens_per_second: number | null;
          /** Calls of this instance that run now. */
          in_flight: number;
          /** Calls that your endpoint said it still takes until its limit is reset. */
          room: number | null;
          /** Your endpoint refuses our credential, or says that nothing is paid for. It is tried only rarely until you change the model or it passes its check. */
          outage: {
            why: "credential" | "funds";
            reason: string;
            since: string;
            next_try_at: string;
          } | null;
        };
        /** What the last conformance check saw. */
        last_check: {
          passed: boolean;
          checked_at: string;
          findings: readonly {
            check: string;
            verdict: "pass" | "warn" | "fail";
            message: string;
          }[];
        } | null;
      })[];
      next_cursor: null;
    };
  };
  /** Read a model you registered */
  "GET /v1/provider/models/{name}": {
    params: {
      name: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
      description?: string | undefined;
      /** The provider's generate endpoint; with another wire than trunkline, the base URL of its API. */
      endpoint: string;
      /** The format that the provider speaks. Default: trunkline, our provider contract. */
      wire?: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | undefined;
      /** The provider's own name for it, where that is another. */
      upstream_model?: string | null | undefined;
      /** What the provider takes off its price for lines of batches, for example 0.5. Default: 0. */
      batch_discount?: number | undefined;
      /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** null: it can't be read, and the model is not called. */
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | null;
      capabilities?: readonly string[] | undefined;
      specialties?: readonly string[] | undefined;
      performance?: {
        avg_latency_ms?: number | undefined;
        accuracy_score?: number | undefined;
      } | undefined;
      cost_efficiency?: string | undefined;
      streaming?: boolean | undefined;
      context_window?: number | undefined;
      max_output_tokens?: number | undefined;
      backups?: readonly string[] | undefined;
      limits?: {
        connect_ms?: number | undefined;
        first_byte_ms?: number | undefined;
        silence_ms?: number | undefined;
        whole_ms?: number | undefined;
        response_bytes?: number | undefined;
        chunk_bytes?: number | undefined;
      } | undefined;
      /** What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing. */
      data?: {
        /** All places where requests are processed: countries by ISO 3166, `eu` or `eea`. */
        regions?: readonly unknown[] | undefined;
        /** For how many days the data of requests is kept. 0: not at all. */
        retention_days?: number | undefined;
        /** Where it can be read. */
        source?: string | undefined;
      } | null | undefined;
      /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
      weight?: number | undefined;
      /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
      canary_share?: number | null | undefined;
      /** A price that was announced, and from when it holds; null: none. */
      next_pricing: {
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        };
        effective_at: string;
      } | null;
      id: string;
      name: string;
      provider: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
      /** Declared in the configuration file, and changed only there. */
      declared: boolean;
      has_credential: boolean;
      price_version: string | null;
      created_at: string;
      /** Where it stands with your own usage reports: the newest of each day counts. */
      reconciliation: {
        flagged: boolean;
        flagged_days: number;
        last_flagged_day: string | null;
        last_reported_at: string | null;
      };
      /** From the calls of this instance, and of the others where it made none of late. */
      health: {
        /** Whether it would be called now. */
        available: boolean;
        /** ramping: it answered again, and gets a growing share of the calls. */
        breaker: "closed" | "open" | "half-open" | "ramping";
        calls: number;
        /** 0 to 1, of recent calls. */
        error_rate: number;
        latency_ms: number | null;
        /** Of the last 64 answers; null until there are 8. */
        latency_p95_ms: number | null;
        first_part_ms: number | null;
        /** Of the last 64 answers; null until there are 8. */
        first_part_p95_ms: number | null;
        tokens_per_second: number | null;
        /** Calls of this instance that run now. */
        in_flight: number;
        /** Calls that your endpoint said it still takes until its limit is reset. */
        room: number | null;
        /** Your endpoint refuses our credential, or says that nothing is paid for. It is tried only rarely until you change the model or it passes its check. */
        outage: {
          why: "credential" | "funds";
          reason: string;
          since: string;
          next_try_at: string;
        } | null;
      };
      /** What the last conformance check saw. */
      last_check: {
        passed: boolean;
        checked_at: string;
        findings: readonly {
          check: string;
          verdict: "pass" | "warn" | "fail";
          message: string;
        }[];
      } | null;
    };
  };
  /** Change a model you registered */
  "PATCH /v1/provider/models/{name}": {
    params: {
      name: string;
    };
    query: undefined;
    body: {
      type?: "text" | "image" | "audio" | "multimodal" | "embedding" | undefined;
      description?: string | undefined;
      /** The provider's generate endpoint; with another wire than trunkline, the base URL of its API. */
      endpoint?: string | undefined;
      /** The format that the provider speaks. Default: trunkline, our provider contract. */
      wire?: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | undefined;
      /** The provider's own name for it, where that is another. */
      upstream_model?: string | null | undefined;
      /** What the provider takes off its price for lines of batches, for example 0.5. Default: 0. */
      batch_discount?: number | undefined;
      /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** Write-only. Encrypted at rest, never shown again. */
      credential?: string | null | undefined;
      pricing?: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | undefined;
      capabilities?: readonly string[] | undefined;
      specialties?: readonly string[] | undefined;
      performance?: {
        avg_latency_ms?: number | undefined;
        accuracy_score?: number | undefined;
      } | undefined;
      cost_efficiency?: string | undefined;
      streaming?: boolean | undefined;
      context_window?: number | undefined;
      max_output_tokens?: number | undefined;
      backups?: readonly string[] | undefined;
      limits?: {
        connect_ms?: number | undefined;
        first_byte_ms?: number | undefined;
        silence_ms?: number | undefined;
        whole_ms?: number | undefined;
        response_bytes?: number | undefined;
        chunk_bytes?: number | undefined;
      } | undefined;
      /** What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing. */
      data?: {
        /** All places where requests are processed: countries by ISO 3166, `eu` or `eea`. */
        regions?: readonly string[] | undefined;
        /** For how many days the data of requests is kept. 0: not at all. */
        retention_days?: number | undefined;
        /** Where it can be read. */
        source?: string | undefined;
      } | null | undefined;
      /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
      weight?: number | undefined;
      /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
      canary_share?: number | null | undefined;
      state?: "active" | "suspended" | undefined;
    };
    answer: {
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
      description?: string | undefined;
      /** The provider's generate endpoint; with another wire than trunkline, the base URL of its API. */
      endpoint: string;
      /** The format that the provider speaks. Default: trunkline, our provider contract. */
      wire?: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | undefined;
      /** The provider's own name for it, where that is another. */
      upstream_model?: string | null | undefined;
      /** What the provider takes off its price for lines of batches, for example 0.5. Default: 0. */
      batch_discount?: number | undefined;
      /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** null: it can't be read, and the model is not called. */
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | null;
      capabilities?: readonly string[] | undefined;
      specialties?: readonly string[] | undefined;
      performance?: {
        avg_latency_ms?: number | undefined;
        accuracy_score?: number | undefined;
      } | undefined;
      cost_efficiency?: string | undefined;
      streaming?: boolean | undefined;
      context_window?: number | undefined;
      max_output_tokens?: number | undefined;
      backups?: readonly string[] | undefined;
      limits?: {
        connect_ms?: number | undefined;
        first_byte_ms?: number | undefined;
        silence_ms?: number | undefined;
        whole_ms?: number | undefined;
        response_bytes?: number | undefined;
        chunk_bytes?: number | undefined;
      } | undefined;
      /** What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing. */
      data?: {
        /** All places where requests are processed: countries by ISO 3166, `eu` or `eea`. */
        regions?: readonly unknown[] | undefined;
        /** For how many days the data of requests is kept. 0: not at all. */
        retention_days?: number | undefined;
        /** Where it can be read. */
        source?: string | undefined;
      } | null | undefined;
      /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
      weight?: number | undefined;
      /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
      canary_share?: number | null | undefined;
      /** A price that was announced, and from when it holds; null: none. */
      next_pricing: {
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        };
        effective_at: string;
      } | null;
      id: string;
      name: string;
      provider: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
      /** Declared in the configuration file, and changed only there. */
      declared: boolean;
      has_credential: boolean;
      price_version: string | null;
      created_at: string;
      /** Where it stands with your own usage reports: the newest of each day counts. */
      reconciliation: {
        flagged: boolean;
        flagged_days: number;
        last_flagged_day: string | null;
        last_reported_at: string | null;
      };
      /** From the calls of this instance, and of the others where it made none of late. */
      health: {
        /** Whether it would be called now. */
        available: boolean;
        /** ramping: it answered again, and gets a growing share of the calls. */
        breaker: "closed" | "open" | "half-open" | "ramping";
        calls: number;
        /** 0 to 1, of recent calls. */
        error_rate: number;
        latency_ms: number | null;
        /** Of the last 64 answers; null until there are 8. */
        latency_p95_ms: number | null;
        first_part_ms: number | null;
        /** Of the last 64 answers; null until there are 8. */
        first_part_p95_ms: number | null;
        tokens_per_second: number | null;
        /** Calls of this instance that run now. */
        in_flight: number;
        /** Calls that your endpoint said it still takes until its limit is reset. */
        room: number | null;
        /** Your endpoint refuses our credential, or says that nothing is paid for. It is tried only rarely until you change the model or it passes its check. */
        outage: {
          why: "credential" | "funds";
          reason: string;
          since: string;
          next_try_at: string;
        } | null;
      };
      /** What the last conformance check saw. */
      last_check: {
        passed: boolean;
        checked_at: string;
        findings: readonly {
          check: string;
          verdict: "pass" | "warn" | "fail";
          message: string;
        }[];
      } | null;
    };
  };
  /** Withdraw a model */
  "DELETE /v1/provider/models/{name}": {
    params: {
      name: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Every price a model of yours has had, newest first */
  "GET /v1/provider/models/{name}/prices": {
    params: {
      name: string;
    };
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly ({
        version: string;
        /** When it became the price. */
        since: string;
        /** null: it can't be read. */
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        } | null;
      })[];
      next_cursor: string | null;
    };
  };
  /** Run the conformance check */
  "POST /v1/provider/models/{name}/check": {
    params: {
      name: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      passed: boolean;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
      checked_at: string;
      findings: readonly {
        check: string;
        verdict: "pass" | "warn" | "fail";
        message: string;
      }[];
    };
  };
  /** See what is wrong with a registration, without registering */
  "POST /v1/provider/models/validate": {
    params: undefined;
    query: {
      /** Whether this is a change of a model you have. */
      change?: "true" | "false" | undefined;
    };
    body: {
      type?: "text" | "image" | "audio" | "multimodal" | "embedding" | undefined;
      description?: string | undefined;
      /** The provider's generate endpoint; with another wire than trunkline, the base URL of its API. */
      endpoint?: string | undefined;
      /** The format that the provider speaks. Default: trunkline, our provider contract. */
      wire?: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | undefined;
      /** The provider's own name for it, where that is another. */
      upstream_model?: string | null | undefined;
      /** What the provider takes off its price for lines of batches, for example 0.5. Default: 0. */
      batch_discount?: number | undefined;
      /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** Write-only. Encrypted at rest, never shown again. */
      credential?: string | null | undefined;
      pricing?: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | undefined;
      capabilities?: readonly string[] | undefined;
      specialties?: readonly string[] | undefined;
      performance?: {
        avg_latency_ms?: number | undefined;
        accuracy_score?: number | undefined;
      } | undefined;
      cost_efficiency?: string | undefined;
      streaming?: boolean | undefined;
      context_window?: number | undefined;
      max_output_tokens?: number | undefined;
      backups?: readonly string[] | undefined;
      limits?: {
        connect_ms?: number | undefined;
        first_byte_ms?: number | undefined;
        silence_ms?: number | undefined;
        whole_ms?: number | undefined;
        response_bytes?: number | undefined;
        chunk_bytes?: number | undefined;
      } | undefined;
      /** What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing. */
      data?: {
        /** All places where requests are processed: countries by ISO 3166, `eu` or `eea`. */
        regions?: readonly string[] | undefined;
        /** For how many days the data of requests is kept. 0: not at all. */
        retention_days?: number | undefined;
        /** Where it can be read. */
        source?: string | undefined;
      } | null | undefined;
      /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
      weight?: number | undefined;
      /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
      canary_share?: number | null | undefined;
      name?: string | undefined;
    };
    answer: {
      valid: boolean;
      issues: readonly {
        param: string;
        message: string;
      }[];
      warnings: readonly {
        param: string;
        message: string;
      }[];
    };
  };
  /** List the models at an endpoint, with the prices that are known */
  "POST /v1/provider/models/discover": {
    params: undefined;
    query: undefined;
    body: {
      /** The format that the endpoint speaks. */
      wire: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere";
      /** The base URL of its API. */
      endpoint: string;
      /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** Write-only. Encrypted at rest, never shown again. */
      credential?: string | null | undefined;
    };
    answer: {
      endpoint: string;
      data: readonly ({
        /** A name that it can be registered under. */
        name: string;
        /** The endpoint's own name for it. */
        upstream_model: string;
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description: string;
        /** null: unknown, and to be set before it can be registered. */
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        } | null;
        /** `endpoint`: its list says so. Otherwise the known provider whose list price it is; null: unknown. */
        pricing_source: string | null;
        capabilities: readonly string[];
        streaming: boolean;
        context_window: number | null;
        max_output_tokens: number | null;
        /** Whether you have a model of this name, or this one under another name. */
        registered: boolean;
      })[];
    };
  };
  /** Register several models of one endpoint at once */
  "POST /v1/provider/models/import": {
    params: undefined;
    query: undefined;
    body: {
      /** The format that the endpoint speaks. */
      wire: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere";
      /** The base URL of its API. */
      endpoint: string;
      /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** Write-only. Encrypted at rest, never shown again. */
      credential?: string | null | undefined;
      models: readonly {
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description?: string | undefined;
        /** The provider's own name for it, where that is another. */
        upstream_model?: string | null | undefined;
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        };
        capabilities?: readonly string[] | undefined;
        streaming?: boolean | undefined;
        context_window?: number | undefined;
        max_output_tokens?: number | undefined;
        name: string;
      }[];
    };
    answer: {
      data: readonly ({
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description?: string | undefined;
        /** The provider's generate endpoint; with another wire than trunkline, the base URL of its API. */
        endpoint: string;
        /** The format that the provider speaks. Default: trunkline, our provider contract. */
        wire?: "trunkline" | "openai" | "anthropic" | "gemini" | "bedrock" | "cohere" | undefined;
        /** The provider's own name for it, where that is another. */
        upstream_model?: string | null | undefined;
        /** What the provider takes off its price for lines of batches, for example 0.5. Default: 0. */
        batch_discount?: number | undefined;
        /** Default where a credential is given: bearer, or x-api-key with the wires gemini and anthropic; else none. */
        auth_type?: "bearer" | "x-api-key" | "none" | undefined;
        /** null: it can't be read, and the model is not called. */
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        } | null;
        capabilities?: readonly string[] | undefined;
        specialties?: readonly string[] | undefined;
        performance?: {
          avg_latency_ms?: number | undefined;
          accuracy_score?: number | undefined;
        } | undefined;
        cost_efficiency?: string | undefined;
        streaming?: boolean | undefined;
        context_window?: number | undefined;
        max_output_tokens?: number | undefined;
        backups?: readonly string[] | undefined;
        limits?: {
          connect_ms?: number | undefined;
          first_byte_ms?: number | undefined;
          silence_ms?: number | undefined;
          whole_ms?: number | undefined;
          response_bytes?: number | undefined;
          chunk_bytes?: number | undefined;
        } | undefined;
        /** What you claim of what becomes of the data of requests. It is shown as your claim. null: nothing. */
        data?: {
          /** All places where requests are processed: countries by ISO 3166, `eu` or `eea`. */
          regions?: readonly unknown[] | undefined;
          /** For how many days the data of requests is kept. 0: not at all. */
          retention_days?: number | undefined;
          /** Where it can be read. */
          source?: string | undefined;
        } | null | undefined;
        /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
        weight?: number | undefined;
        /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
        canary_share?: number | null | undefined;
        /** A price that was announced, and from when it holds; null: none. */
        next_pricing: {
          pricing: {
            input_per_1k_tokens?: number | undefined;
            /** For input out of the provider's cache; null: as any other input. */
            cached_input_per_1k_tokens?: number | null | undefined;
            /** For input that is put into the provider's cache; null: as any other input. */
            cache_write_per_1k_tokens?: number | null | undefined;
            output_per_1k_tokens?: number | undefined;
            /** Credits; at most 9 decimals. */
            per_image?: number | undefined;
            /** Credits; at most 9 decimals. */
            per_request?: number | undefined;
            /** Credits for a second of audio, made or heard. */
            per_second?: number | undefined;
          };
          effective_at: string;
        } | null;
        id: string;
        name: string;
        provider: string;
        state: "pending" | "probation" | "active" | "suspended" | "blocked";
        /** Declared in the configuration file, and changed only there. */
        declared: boolean;
        has_credential: boolean;
        price_version: string | null;
        created_at: string;
        /** Where it stands with your own usage reports: the newest of each day counts. */
        reconciliation: {
          flagged: boolean;
          flagged_days: number;
          last_flagged_day: string | null;
          last_reported_at: string | null;
        };
        /** From the calls of this instance, and of the others where it made none of late. */
        health: {
          /** Whether it would be called now. */
          available: boolean;
          /** ramping: it answered again, and gets a growing share of the calls. */
          breaker: "closed" | "open" | "half-open" | "ramping";
          calls: number;
          /** 0 to 1, of recent calls. */
          error_rate: number;
          latency_ms: number | null;
          /** Of the last 64 answers; null until there are 8. */
          latency_p95_ms: number | null;
          first_part_ms: number | null;
          /** Of the last 64 answers; null until there are 8. */
          first_part_p95_ms: number | null;
          tokens_per_second: number | null;
          /** Calls of this instance that run now. */
          in_flight: number;
          /** Calls that your endpoint said it still takes until its limit is reset. */
          room: number | null;
          /** Your endpoint refuses our credential, or says that nothing is paid for. It is tried only rarely until you change the model or it passes its check. */
          outage: {
            why: "credential" | "funds";
            reason: string;
            since: string;
            next_try_at: string;
          } | null;
        };
        /** What the last conformance check saw. */
        last_check: {
          passed: boolean;
          checked_at: string;
          findings: readonly {
            check: string;
            verdict: "pass" | "warn" | "fail";
            message: string;
          }[];
        } | null;
      })[];
    };
  };
  /** Requests, errors, tokens and earnings of your models */
  "GET /v1/provider/traffic": {
    params: undefined;
    query: {
      /** The first day. Default: 30 days up to `to`, or two where hours are asked for. */
      from?: string | undefined;
      /** The last day, which counts as well. Default: today. */
      to?: string | undefined;
      /** The IANA zone of days and hours. Default: the account's own. */
      timezone?: string | undefined;
      interval?: "day" | "hour" | undefined;
      /** One of your own models; absent: all of them. */
      model?: string | undefined;
    };
    body: undefined;
    answer: {
      interval: "day" | "hour";
      timezone: string;
      /** The first moment. */
      from: string;
      /** The first moment after. */
      to: string;
      totals: {
        /** Answered requests. */
        requests: number;
        errors: number;
        input_tokens: number;
        output_tokens: number;
        /** What clients paid for these, in credits. */
        earnings: number;
        /** Of answered requests, as clients saw it. */
        average_latency_ms: number | null;
      };
      /** The same by model, the most earning first. */
      models: readonly {
        provider: string;
        model: string;
        /** Answered requests. */
        requests: number;
        errors: number;
        input_tokens: number;
        output_tokens: number;
        /** What clients paid for these, in credits. */
        earnings: number;
        /** Of answered requests, as clients saw it. */
        average_latency_ms: number | null;
      }[];
      data: readonly {
        provider: string;
        model: string;
        start: string;
        /** Answered requests. */
        requests: number;
        errors: number;
        input_tokens: number;
        output_tokens: number;
        /** What clients paid for these, in credits. */
        earnings: number;
        /** Of answered requests, as clients saw it. */
        average_latency_ms: number | null;
      }[];
      next_cursor: null;
    };
  };
  /** Report your own count of what was used */
  "POST /v1/provider/usage": {
    params: undefined;
    query: undefined;
    body: {
      usage?: {
        requests: number;
        tokens_processed: number;
      } | undefined;
      /** One of your own models; absent: all of them. */
      model?: string | undefined;
      /** A day of UTC; absent: all time. */
      day?: string | undefined;
      /** Many reports at once, instead of `usage`. */
      reports?: readonly {
        /** One of your own models; absent: all of them. */
        model?: string | undefined;
        /** A day of UTC; absent: all time. */
        day?: string | undefined;
        requests: number;
        tokens_processed: number;
      }[] | undefined;
    };
    answer: {
      /** null: all models. */
      model: string | null;
      /** null: all time. */
      day: string | null;
      reported: {
        requests: number;
        tokens_processed: number;
      };
      counted: {
        requests: number;
        tokens_processed: number;
      };
      /** Yours less ours. */
      difference: {
        requests: number;
        tokens_processed: number;
      };
      /** The two are further apart than is allowed. */
      flagged: boolean;
      /** The day was not over; nothing is flagged. */
      provisional: boolean;
    } | {
      reports: readonly {
        /** null: all models. */
        model: string | null;
        /** null: all time. */
        day: string | null;
        reported: {
          requests: number;
          tokens_processed: number;
        };
        counted: {
          requests: number;
          tokens_processed: number;
        };
        /** Yours less ours. */
        difference: {
          requests: number;
          tokens_processed: number;
        };
        /** The two are further apart than is allowed. */
        flagged: boolean;
        /** The day was not over; nothing is flagged. */
        provisional: boolean;
      }[];
    };
  };
  /** What was used of your models, by model and day, beside what you reported */
  "GET /v1/provider/usage": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** The first day, of UTC. */
      from?: string | undefined;
      /** The last day, which counts as well. */
      to?: string | undefined;
      /** One of your own models; absent: all of them. */
      model?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly ({
        /** null: all models. */
        model: string | null;
        /** null: all time. */
        day: string | null;
        reported: {
          requests: number;
          tokens_processed: number;
        } | null;
        counted: {
          requests: number;
          tokens_processed: number;
        };
        difference: {
          requests: number;
          tokens_processed: number;
        } | null;
        /** The two are further apart than is allowed. */
        flagged: boolean;
        /** The day was not over; nothing is flagged. */
        provisional: boolean;
        provider: string;
        reported_at: string | null;
      })[];
      next_cursor: string | null;
    };
  };
  /** Reports of all providers that are too far from our count */
  "GET /v1/admin/providers/reconciliation": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        /** null: all models. */
        model: string | null;
        /** null: all time. */
        day: string | null;
        reported: {
          requests: number;
          tokens_processed: number;
        };
        counted: {
          requests: number;
          tokens_processed: number;
        };
        /** Yours less ours. */
        difference: {
          requests: number;
          tokens_processed: number;
        };
        /** The two are further apart than is allowed. */
        flagged: boolean;
        /** The day was not over; nothing is flagged. */
        provisional: boolean;
        id: string;
        account_id: string;
        provider: string;
        reported_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** What you are owed, and what your models earned this month */
  "GET /v1/provider/earnings": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** Earned, and not requested yet. */
      payable: number;
      /** Requested, and not paid yet. */
      pending: number;
      paid: number;
      /** The service's part of what clients pay for your models. */
      fee_percent: number;
      minimum_payout: number;
      /** The ways in which this service pays. */
      methods: readonly ("bank" | "token")[];
      destination: {
        method: "bank" | "token";
        /** A bank account's reference, or a wallet's address. */
        destination: string;
        changed_at: string;
      } | null;
      this_month: {
        requests: number;
        /** What clients paid. */
        gross: number;
        /** What the service keeps of it. */
        fee: number;
        /** What you get of it. */
        net: number;
        models: readonly {
          model: string;
          requests: number;
          /** What clients paid. */
          gross: number;
          /** What the service keeps of it. */
          fee: number;
          /** What you get of it. */
          net: number;
        }[];
      };
    };
  };
  /** Set where your earnings are paid to */
  "PUT /v1/provider/payout-destination": {
    params: undefined;
    query: undefined;
    body: {
      method: "bank" | "token";
      /** With `bank`, what the operator needs for a transfer, such as an IBAN and a name; with `token`, a wallet's address. */
      destination: string;
    };
    answer: {
      /** Earned, and not requested yet. */
      payable: number;
      /** Requested, and not paid yet. */
      pending: number;
      paid: number;
      /** The service's part of what clients pay for your models. */
      fee_percent: number;
      minimum_payout: number;
      /** The ways in which this service pays. */
      methods: readonly ("bank" | "token")[];
      destination: {
        method: "bank" | "token";
        /** A bank account's reference, or a wallet's address. */
        destination: string;
        changed_at: string;
      } | null;
    };
  };
  /** Request a payout */
  "POST /v1/provider/payouts": {
    params: undefined;
    query: undefined;
    body: {
      /** Credits; at most 9 decimals. */
      amount?: number | undefined;
    } | undefined;
    answer: {
      id: string;
      amount: number;
      method: "bank" | "token";
      destination: string;
      /** `requested` waits for the operator, `approved` for the payment, `sending` for the chain; `sent` and `failed` are the end. */
      state: "requested" | "approved" | "sending" | "sent" | "failed";
      /** The bank's reference or the transaction's hash of a sent one, the reason of a failed one. */
      reference: string | null;
      created_at: string;
      approved_at: string | null;
      ended_at: string | null;
    };
  };
  /** Your payouts, newest first */
  "GET /v1/provider/payouts": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        amount: number;
        method: "bank" | "token";
        destination: string;
        /** `requested` waits for the operator, `approved` for the payment, `sending` for the chain; `sent` and `failed` are the end. */
        state: "requested" | "approved" | "sending" | "sent" | "failed";
        /** The bank's reference or the transaction's hash of a sent one, the reason of a failed one. */
        reference: string | null;
        created_at: string;
        approved_at: string | null;
        ended_at: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** Cancel a payout that was not approved yet */
  "DELETE /v1/provider/payouts/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      amount: number;
      method: "bank" | "token";
      destination: string;
      /** `requested` waits for the operator, `approved` for the payment, `sending` for the chain; `sent` and `failed` are the end. */
      state: "requested" | "approved" | "sending" | "sent" | "failed";
      /** The bank's reference or the transaction's hash of a sent one, the reason of a failed one. */
      reference: string | null;
      created_at: string;
      approved_at: string | null;
      ended_at: string | null;
    };
  };
  /** Statements of the months in which you earned or were paid anything, newest first */
  "GET /v1/provider/statements": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        month: string;
        /** What you were owed at its start, payouts on their way included. */
        opening: number;
        requests: number;
        /** What clients paid. */
        gross: number;
        /** What the service keeps of it. */
        fee: number;
        /** What you get of it. */
        net: number;
        paid: number;
        /** The opening amount, and the net earnings, less what was paid. */
        closing: number;
      }[];
      next_cursor: null;
    };
  };
  /** A month's statement of what your models earned */
  "GET /v1/provider/statements/{month}": {
    params: {
      month: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      month: string;
      /** What you were owed at its start, payouts on their way included. */
      opening: number;
      requests: number;
      /** What clients paid. */
      gross: number;
      /** What the service keeps of it. */
      fee: number;
      /** What you get of it. */
      net: number;
      paid: number;
      /** The opening amount, and the net earnings, less what was paid. */
      closing: number;
      time_zone: string;
      by_model: readonly {
        model: string;
        requests: number;
        /** What clients paid. */
        gross: number;
        /** What the service keeps of it. */
        fee: number;
        /** What you get of it. */
        net: number;
      }[];
      payouts: readonly {
        id: string;
        amount: number;
        reference: string;
        paid_at: string;
      }[];
    };
  };
  /** How the service sends mail */
  "GET /v1/admin/mail": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      configured: boolean;
      /** The mail server's host and port. */
      server: string | null;
      /** Whom the mails come from. */
      from: string | null;
    };
  };
  /** Send a test mail */
  "POST /v1/admin/mail/test": {
    params: undefined;
    query: undefined;
    body: {
      /** An e-mail address. */
      to: string;
    };
    answer: {
      sent: boolean;
      /** What the mail server said, where it did not accept the mail. */
      error: string | null;
    };
  };
  /** List sign-ups whose address is not confirmed yet, newest first */
  "GET /v1/admin/sign-ups": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        email: string;
        name: string;
        /** null: it will be named after the person. */
        organisation: string | null;
        created_at: string;
        /** Until when its address can be confirmed, or it can be approved. */
        expires_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** Open the account of a sign-up without its link */
  "POST /v1/admin/sign-ups/{id}/approve": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      email: string;
      name: string;
      /** null: it will be named after the person. */
      organisation: string | null;
      created_at: string;
      /** Until when its address can be confirmed, or it can be approved. */
      expires_at: string;
    };
  };
  /** Make a link for a sign-up, to pass on */
  "POST /v1/admin/sign-ups/{id}/link": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      email: string;
      link: string;
    };
  };
  /** Decline a sign-up: its links stop working */
  "DELETE /v1/admin/sign-ups/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      email: string;
      name: string;
      /** null: it will be named after the person. */
      organisation: string | null;
      created_at: string;
      /** Until when its address can be confirmed, or it can be approved. */
      expires_at: string;
    };
  };
  /** List accounts' requests for credits, newest first */
  "GET /v1/admin/credit-requests": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      state?: "open" | "granted" | "declined" | "withdrawn" | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        message: string;
        /** The e-mail address of the person who asked; null: a key asked. */
        requested_by: string | null;
        state: "open" | "granted" | "declined" | "withdrawn";
        /** What was granted, in credits. */
        amount: number | null;
        /** What the operator wrote. */
        reply: string | null;
        created_at: string;
        decided_at: string | null;
        account: {
          id: string;
          name: string;
          balance: number;
        };
      }[];
      next_cursor: string | null;
    };
  };
  /** Grant credits to an account that asked for them */
  "POST /v1/admin/credit-requests/{id}/grant": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** Credits; at most 9 decimals. */
      amount: number;
      /** Shown to the account. */
      reply?: string | undefined;
    };
    answer: {
      id: string;
      message: string;
      /** The e-mail address of the person who asked; null: a key asked. */
      requested_by: string | null;
      state: "open" | "granted" | "declined" | "withdrawn";
      /** What was granted, in credits. */
      amount: number | null;
      /** What the operator wrote. */
      reply: string | null;
      created_at: string;
      decided_at: string | null;
      account: {
        id: string;
        name: string;
        balance: number;
      };
    };
  };
  /** Decline an account's request for credits */
  "POST /v1/admin/credit-requests/{id}/decline": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** Shown to the account. */
      reply?: string | undefined;
    } | undefined;
    answer: {
      id: string;
      message: string;
      /** The e-mail address of the person who asked; null: a key asked. */
      requested_by: string | null;
      state: "open" | "granted" | "declined" | "withdrawn";
      /** What was granted, in credits. */
      amount: number | null;
      /** What the operator wrote. */
      reply: string | null;
      created_at: string;
      decided_at: string | null;
      account: {
        id: string;
        name: string;
        balance: number;
      };
    };
  };
  /** Open an account */
  "POST /v1/admin/accounts": {
    params: undefined;
    query: undefined;
    body: {
      name: string;
      provider?: string | undefined;
    };
    answer: {
      id: string;
      name: string;
      provider: string;
      operator: boolean;
      created_at: string;
    };
  };
  /** List accounts, newest first */
  "GET /v1/admin/accounts": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      /** Part of a name, of a provider's name or of a member's address, or an id. */
      q?: string | undefined;
      state?: "active" | "suspended" | undefined;
      /** Those that spend on this cluster. */
      cluster?: number | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        name: string;
        provider: string;
        operator: boolean;
        created_at: string;
        suspended: boolean;
        suspended_at: string | null;
        /** When its owner closed it. */
        closed_at: string | null;
        /** What all its keys may send a minute together; null: what the service allows every account. */
        requests_per_minute: number | null;
        balance: number;
        last_30_days: {
          requests: number;
          cost: number;
        };
        members: number;
        /** The first owner's e-mail address. */
        owner: string | null;
        /** How many models it offers. */
        models: number;
        /** The number of the PostgreSQL cluster where it spends; 1 where there is one database. */
        cluster: number;
      }[];
      next_cursor: string | null;
    };
  };
  /** Give credits to an account */
  "POST /v1/admin/accounts/{id}/grants": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** Credits; at most 9 decimals. */
      amount: number;
      memo?: string | undefined;
    };
    answer: {
      balance: number;
    };
  };
  /** Make a key for an account */
  "POST /v1/admin/accounts/{id}/keys": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      name: string;
      /** What the key may do. A key can't grant a scope that it lacks. */
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      expires_at?: string | null | undefined;
      requests_per_minute?: number | null | undefined;
      budget?: {
        /** Credits; at most 9 decimals. */
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null | undefined;
      /** Names or provider/names; absent: all. */
      models?: readonly string[] | null | undefined;
      ips?: readonly string[] | null | undefined;
      /** The sites whose pages may use the key; absent: those of the account's settings, and none if it has a scope besides `inference` and `read`. */
      origins?: readonly string[] | null | undefined;
      /** For how long this key's answers may be given again at no cost; absent: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike two questions must be to count as one; absent: exactly alike. */
        similarity?: number | null | undefined;
      } | null | undefined;
      /** What may become of the data of its requests, besides the account's rules; absent: no rule of its own. */
      data_rules?: {
        /** Where requests may be processed: countries by ISO 3166, `eu` or `eea`. null: anywhere. */
        regions?: readonly string[] | null | undefined;
        /** For how many days a provider may keep the data of requests. 0: not at all. null: any time. */
        retention_days?: number | null | undefined;
      } | null | undefined;
      /** What this key says of safety, laid over what the account says; absent: nothing. */
      safety?: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at?: number | null | undefined;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at?: number | null | undefined;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null | undefined;
    };
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "directory" | "admin")[];
      /** Enough of the secret to recognise it by. */
      hint: string;
      expires_at: string | null;
      requests_per_minute: number | null;
      budget: {
        limit: number;
        period: "day" | "week" | "month" | "total";
      } | null;
      models: readonly string[] | null;
      ips: readonly string[] | null;
      origins: readonly string[] | null;
      cache: {
        ttl: number;
        similarity: number | null;
      } | null;
      safety: {
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
        /** Rules for some models alone, laid over the rest in their order. */
        exceptions?: readonly {
          /** Names or provider/names; whether there are such models is not asked. */
          models?: readonly string[] | undefined;
          /** All models of these. */
          providers?: readonly string[] | undefined;
          /** Begins anew, whatever was said before; absent: what holds without it. */
          preset?: "strict" | "balanced" | "off" | undefined;
          /** What differs: an action for whatever would at least be reported without it, or scores. */
          categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
            /** From which score on; null: never. */
            report_at: number | null;
            /** From which score on values are taken out; null: never. */
            redact_at: number | null;
            /** From which score on; null: never. */
            refuse_at: number | null;
          }> | undefined;
        }[] | undefined;
        /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
        allow_list?: readonly string[] | undefined;
        /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
        dry_run?: boolean | undefined;
        /** Whether values that were taken out of a request are put back into its answer. Default true. */
        restore?: boolean | undefined;
      } | null;
      data_rules: {
        regions: readonly string[] | null;
        retention_days: number | null;
      } | null;
      created_at: string;
      last_used_at: string | null;
      state: "active" | "expired" | "revoked";
      /** Answered requests, ever. */
      requests: number;
      spent: {
        /** In the running period of its budget; null: it has none. */
        period: number | null;
        /** When its budget begins anew; null: never. */
        period_ends_at: string | null;
        /** Ever. */
        total: number;
      };
      /** The member who made it; null: another key did, or the operator. */
      made_by: {
        id: string;
        name: string;
      } | null;
      /** Until when a secret from before the last rotation still holds; null: none does. */
      old_secret_ends_at: string | null;
      revoked_at: string | null;
      key: string;
    };
  };
  /** Vouch for a domain of an account */
  "POST /v1/admin/accounts/{id}/domains": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** The domain, such as example.com. */
      name: string;
    };
    answer: {
      /** The domain. */
      name: string;
      verified_at: string | null;
      verified_by: "dns" | "operator" | null;
      /** Proves the domain. */
      record: {
        name: string;
        type: "TXT";
        value: string;
      };
    };
  };
  /** Let the members of an account in by other means than single sign-on */
  "DELETE /v1/admin/accounts/{id}/sso-enforcement": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Make codes that can be redeemed for credits */
  "POST /v1/admin/codes": {
    params: undefined;
    query: undefined;
    body: {
      /** Credits; at most 9 decimals. */
      credits: number;
      /** How many codes to make. */
      count?: number | undefined;
      /** By how many accounts each may be redeemed. */
      uses?: number | undefined;
      /** For the operator alone. */
      note?: string | undefined;
      expires_at?: string | null | undefined;
    };
    answer: {
      data: readonly {
        id: string;
        /** Enough of the code to recognise it by. */
        hint: string;
        credits: number;
        uses: number;
        used: number;
        note: string;
        state: "active" | "used" | "expired" | "stopped";
        expires_at: string | null;
        stopped_at: string | null;
        created_at: string;
        code: string;
      }[];
      next_cursor: null;
    };
  };
  /** List codes, newest first */
  "GET /v1/admin/codes": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      state?: "active" | "used" | "expired" | "stopped" | undefined;
      /** A part of the hint or of the note. */
      q?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        /** Enough of the code to recognise it by. */
        hint: string;
        credits: number;
        uses: number;
        used: number;
        note: string;
        state: "active" | "used" | "expired" | "stopped";
        expires_at: string | null;
        stopped_at: string | null;
        created_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  /** Stop a code */
  "DELETE /v1/admin/codes/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Payouts of all providers, newest first */
  "GET /v1/admin/payouts": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      state?: "requested" | "approved" | "sending" | "sent" | "failed" | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        amount: number;
        method: "bank" | "token";
        destination: string;
        /** `requested` waits for the operator, `approved` for the payment, `sending` for the chain; `sent` and `failed` are the end. */
        state: "requested" | "approved" | "sending" | "sent" | "failed";
        /** The bank's reference or the transaction's hash of a sent one, the reason of a failed one. */
        reference: string | null;
        created_at: string;
        approved_at: string | null;
        ended_at: string | null;
        account_id: string;
        account: string;
        /** When the provider last changed where it is paid to. Ask it about a recent change before you approve. */
        destination_changed_at: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** Approve a payout */
  "POST /v1/admin/payouts/{id}/approve": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      amount: number;
      method: "bank" | "token";
      destination: string;
      /** `requested` waits for the operator, `approved` for the payment, `sending` for the chain; `sent` and `failed` are the end. */
      state: "requested" | "approved" | "sending" | "sent" | "failed";
      /** The bank's reference or the transaction's hash of a sent one, the reason of a failed one. */
      reference: string | null;
      created_at: string;
      approved_at: string | null;
      ended_at: string | null;
      account_id: string;
      account: string;
      /** When the provider last changed where it is paid to. Ask it about a recent change before you approve. */
      destination_changed_at: string | null;
    };
  };
  /** Mark a payout as paid by a bank */
  "POST /v1/admin/payouts/{id}/paid": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      reference: string;
    };
    answer: {
      id: string;
      amount: number;
      method: "bank" | "token";
      destination: string;
      /** `requested` waits for the operator, `approved` for the payment, `sending` for the chain; `sent` and `failed` are the end. */
      state: "requested" | "approved" | "sending" | "sent" | "failed";
      /** The bank's reference or the transaction's hash of a sent one, the reason of a failed one. */
      reference: string | null;
      created_at: string;
      approved_at: string | null;
      ended_at: string | null;
      account_id: string;
      account: string;
      /** When the provider last changed where it is paid to. Ask it about a recent change before you approve. */
      destination_changed_at: string | null;
    };
  };
  /** Refuse a payout, or say that it could not be paid */
  "POST /v1/admin/payouts/{id}/fail": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      reason: string;
    };
    answer: {
      id: string;
      amount: number;
      method: "bank" | "token";
      destination: string;
      /** `requested` waits for the operator, `approved` for the payment, `sending` for the chain; `sent` and `failed` are the end. */
      state: "requested" | "approved" | "sending" | "sent" | "failed";
      /** The bank's reference or the transaction's hash of a sent one, the reason of a failed one. */
      reference: string | null;
      created_at: string;
      approved_at: string | null;
      ended_at: string | null;
      account_id: string;
      account: string;
      /** When the provider last changed where it is paid to. Ask it about a recent change before you approve. */
      destination_changed_at: string | null;
    };
  };
  /** What each provider is owed and was paid, and its fee */
  "GET /v1/admin/providers/earnings": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        /** The account's id. */
        id: string;
        name: string;
        provider: string;
        payable: number;
        pending: number;
        paid: number;
        fee_percent: number;
        /** False: the service's usual fee. */
        fee_agreed: boolean;
        method: "bank" | "token" | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** Agree on a fee with one provider */
  "PUT /v1/admin/providers/{id}/fee": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      fee_percent: number | null;
    };
    answer: {
      /** The account's id. */
      id: string;
      name: string;
      provider: string;
      payable: number;
      pending: number;
      paid: number;
      fee_percent: number;
      /** False: the service's usual fee. */
      fee_agreed: boolean;
      method: "bank" | "token" | null;
    };
  };
  /** Make and publish a proof of what the service owes now */
  "POST /v1/admin/proof": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      made_at: string;
      /** The root's SHA-256, in hexadecimal digits. */
      root: string;
      /** In whole nano-credits, as text: a JSON number would round it. */
      total: string;
      accounts: number;
    };
  };
  /** The treasury, and how far the chain is read */
  "GET /v1/admin/token": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      chain_id: number;
      contract: string;
      symbol: string;
      treasury: string;
      /** The treasury's tokens now. */
      balance: string;
      /** Null while the price source has no fresh price. A payment counts by the rate in its own block. */
      rate: {
        credits_per_token: string;
        source: "fixed" | "price_feed";
      } | null;
      head_block: number | null;
      final_block: number | null;
      /** All blocks before it are read. */
      next_block: number | null;
      /** When the chain was last looked at. */
      read_at: string | null;
      /** Tokens that came to the treasury without a Transfer event, credited to nobody. */
      unexplained: string;
    };
  };
  /** Token payments of all accounts, newest first */
  "GET /v1/admin/token/deposits": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      state?: "unclaimed" | "credited" | "empty" | "review" | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        state: "unclaimed" | "credited" | "empty" | "review";
        chain_id: number;
        transaction: string;
        log_index: number;
        block: number;
        from: string;
        /** Tokens that were announced. */
        amount: string;
        /** Tokens that arrived. */
        received: string;
        credits_per_token: string | null;
        credits: number | null;
        note: string | null;
        created_at: string;
        credited_at: string | null;
        account_id: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** Credit a payment that waits */
  "POST /v1/admin/token/deposits/{id}/credit": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      account_id: string;
      /** Undefined: what the payment is worth. */
      credits?: number | undefined;
    };
    answer: {
      id: string;
      state: "unclaimed" | "credited" | "empty" | "review";
      chain_id: number;
      transaction: string;
      log_index: number;
      block: number;
      from: string;
      /** Tokens that were announced. */
      amount: string;
      /** Tokens that arrived. */
      received: string;
      credits_per_token: string | null;
      credits: number | null;
      note: string | null;
      created_at: string;
      credited_at: string | null;
      account_id: string | null;
    };
  };
  /** Read the chain again from a block */
  "POST /v1/admin/token/rescan": {
    params: undefined;
    query: undefined;
    body: {
      from_block: number;
    };
    answer: {
      from_block: number;
    };
  };
  /** Card payments of all accounts, newest first */
  "GET /v1/admin/payments": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      state?: "open" | "paid" | "failed" | "expired" | "mismatch" | undefined;
      /** Only those that were refunded or disputed. */
      taken_back?: "true" | "false" | undefined;
    };
    body: undefined;
    answer: {
      data: readonly {
        id: string;
        /** `auto`: charged to the saved card by an automatic top-up. */
        kind: "checkout" | "auto";
        /** `mismatch`: something else was paid than was ordered; nothing is credited. */
        state: "open" | "paid" | "failed" | "expired" | "mismatch";
        credits: number;
        currency: string;
        refunded: number;
        disputed: number;
        dispute_state: string | null;
        /** Why it was not paid. */
        reason: string | null;
        created_at: string;
        paid_at: string | null;
        account_id: string;
        account_name: string;
        /** Stripe's name for the payment. */
        payment_id: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  /** Card payments that belong to no order, newest first */
  "GET /v1/admin/payments/unknown": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        /** Stripe's name for the payment. */
        id: string;
        event: string;
        /** In the smallest unit of the currency. */
        amount: number | null;
        currency: string | null;
        /** What it says it is for. */
        reference: string | null;
        created_at: string;
      }[];
      next_cursor: null;
    };
  };
  /** Read an account */
  "GET /v1/admin/accounts/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      name: string;
      provider: string;
      operator: boolean;
      created_at: string;
      suspended: boolean;
      suspended_at: string | null;
      /** When its owner closed it. */
      closed_at: string | null;
      /** What all its keys may send a minute together; null: what the service allows every account. */
      requests_per_minute: number | null;
      balance: number;
      last_30_days: {
        requests: number;
        cost: number;
      };
      members: number;
      /** The first owner's e-mail address. */
      owner: string | null;
      /** How many models it offers. */
      models: number;
      /** The number of the PostgreSQL cluster where it spends; 1 where there is one database. */
      cluster: number;
    };
  };
  /** Rename, limit or suspend an account */
  "PATCH /v1/admin/accounts/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      name?: string | undefined;
      /** The name under which its models appear. */
      provider?: string | undefined;
      suspended?: boolean | undefined;
      /** What all its keys may send a minute together; null: what the service allows every account. */
      requests_per_minute?: number | null | undefined;
      /** For the account's audit log. */
      reason?: string | undefined;
    };
    answer: {
      id: string;
      name: string;
      provider: string;
      operator: boolean;
      created_at: string;
      suspended: boolean;
      suspended_at: string | null;
      /** When its owner closed it. */
      closed_at: string | null;
      /** What all its keys may send a minute together; null: what the service allows every account. */
      requests_per_minute: number | null;
      balance: number;
      last_30_days: {
        requests: number;
        cost: number;
      };
      members: number;
      /** The first owner's e-mail address. */
      owner: string | null;
      /** How many models it offers. */
      models: number;
      /** The number of the PostgreSQL cluster where it spends; 1 where there is one database. */
      cluster: number;
    };
  };
  /** List the PostgreSQL clusters that accounts are placed on */
  "GET /v1/admin/clusters": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        number: number;
        /** Whether it has what accounts share. New accounts begin there. */
        home: boolean;
        /** false: the cluster is away, and its figures are null. */
        reachable: boolean;
        /** How many accounts spend there. */
        accounts: number | null;
        /** All their credits there. */
        balance: number | null;
        bytes: number | null;
        /** Credits that have left it for another cluster and are not there yet. */
        on_the_way: number | null;
      }[];
    };
  };
  /** Read where an account is */
  "GET /v1/admin/accounts/{id}/cluster": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      /** The number of the cluster where it spends. */
      cluster: number;
      /** Where it was before. Its records of then stay there and are read from there. */
      past: readonly number[];
      /** When it was moved last; null: never. */
      moved_at: string | null;
      /** Its credits that are not there yet, as instances have leased them elsewhere: they follow within seconds. */
      following: number;
    };
  };
  /** Move an account to another cluster */
  "PUT /v1/admin/accounts/{id}/cluster": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** The number of the cluster. */
      cluster: number;
    };
    answer: {
      /** The number of the cluster where it spends. */
      cluster: number;
      /** Where it was before. Its records of then stay there and are read from there. */
      past: readonly number[];
      /** When it was moved last; null: never. */
      moved_at: string | null;
      /** Its credits that are not there yet, as instances have leased them elsewhere: they follow within seconds. */
      following: number;
      from: number;
      /** The credits that moved at once. */
      moved: number;
    };
  };
  /** List the models of all accounts, newest first */
  "GET /v1/admin/models": {
    params: undefined;
    query: {
      limit?: number | undefined;
      /** `next_cursor` of the page before. */
      cursor?: string | undefined;
      state?: "pending" | "probation" | "active" | "suspended" | "blocked" | undefined;
      provider?: string | undefined;
      /** Part of `provider/name`. */
      q?: string | undefined;
    };
    body: undefined;
    answer: {
      data: readonly ({
        id: string;
        full_name: string;
        name: string;
        provider: string;
        account_id: string;
        type: string;
        description: string;
        endpoint: string;
        state: "pending" | "probation" | "active" | "suspended" | "blocked";
        /** Why the operator has taken it out of service. */
        blocked_reason: string | null;
        /** Declared in the configuration file. */
        declared: boolean;
        /** How much of the load it takes among equal providers of its name. */
        weight: number;
        /** In how much of the automatic requests it takes part. */
        canary_share: number;
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
          /** For input that is put into the provider's cache; null: as any other input. */
          cache_write_per_1k_tokens?: number | null | undefined;
          output_per_1k_tokens?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_image?: number | undefined;
          /** Credits; at most 9 decimals. */
          per_request?: number | undefined;
          /** Credits for a second of audio, made or heard. */
          per_second?: number | undefined;
        } | null;
        created_at: string;
        live: {
          available: boolean;
          calls: number;
          error_rate: number;
          latency_ms: number | null;
        };
      })[];
      next_cursor: string | null;
    };
  };
  /** Set how much of the traffic a model gets */
  "PATCH /v1/admin/models/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      /** How much of the load it takes among equal providers of its name. Default: 1. 0: only as a backup. More than 1 is the operator's to give. */
      weight?: number | undefined;
      /** In how much of the automatic requests it takes part; null: as its state has it, 0.05 on probation and else 1. The operator's to set. */
      canary_share?: number | null | undefined;
    };
    answer: {
      id: string;
      full_name: string;
      name: string;
      provider: string;
      account_id: string;
      type: string;
      description: string;
      endpoint: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
      /** Why the operator has taken it out of service. */
      blocked_reason: string | null;
      /** Declared in the configuration file. */
      declared: boolean;
      /** How much of the load it takes among equal providers of its name. */
      weight: number;
      /** In how much of the automatic requests it takes part. */
      canary_share: number;
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | null;
      created_at: string;
      live: {
        available: boolean;
        calls: number;
        error_rate: number;
        latency_ms: number | null;
      };
    };
  };
  /** Route to a model at once */
  "POST /v1/admin/models/{id}/approve": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      full_name: string;
      name: string;
      provider: string;
      account_id: string;
      type: string;
      description: string;
      endpoint: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
      /** Why the operator has taken it out of service. */
      blocked_reason: string | null;
      /** Declared in the configuration file. */
      declared: boolean;
      /** How much of the load it takes among equal providers of its name. */
      weight: number;
      /** In how much of the automatic requests it takes part. */
      canary_share: number;
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | null;
      created_at: string;
      live: {
        available: boolean;
        calls: number;
        error_rate: number;
        latency_ms: number | null;
      };
    };
  };
  /** Take a model out of service */
  "POST /v1/admin/models/{id}/suspend": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      reason: string;
    };
    answer: {
      id: string;
      full_name: string;
      name: string;
      provider: string;
      account_id: string;
      type: string;
      description: string;
      endpoint: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
      /** Why the operator has taken it out of service. */
      blocked_reason: string | null;
      /** Declared in the configuration file. */
      declared: boolean;
      /** How much of the load it takes among equal providers of its name. */
      weight: number;
      /** In how much of the automatic requests it takes part. */
      canary_share: number;
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
        /** For input that is put into the provider's cache; null: as any other input. */
        cache_write_per_1k_tokens?: number | null | undefined;
        output_per_1k_tokens?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_image?: number | undefined;
        /** Credits; at most 9 decimals. */
        per_request?: number | undefined;
        /** Credits for a second of audio, made or heard. */
        per_second?: number | undefined;
      } | null;
      created_at: string;
      live: {
        available: boolean;
        calls: number;
        error_rate: number;
        latency_ms: number | null;
      };
    };
  };
  /** Each setting of the service, and where it comes from */
  "GET /v1/admin/configuration": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      data: readonly {
        /** A variable, a field of the configuration file, or a setting of the dashboard. */
        name: string;
        /** null: it is not set, or it is a secret. */
        value: string | null;
        /** There is a value, and it is not shown. */
        is_secret: boolean;
        source: "default" | "file" | "environment" | "command line" | "dashboard";
      }[];
    };
  };
  /** The service's settings */
  "GET /v1/admin/settings": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      /** Who may open an account: anyone, whoever is invited, or nobody. */
      sign_up: "open" | "invited" | "closed";
      /** For accounts that have chosen none. */
      strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
      /** `frozen`: no outcome changes what is predicted, and nothing is tried out, whatever an account has chosen. */
      routing_learning: "on" | "frozen";
      /** What a new organisation is given, once for each verified address of a person who signs up. */
      welcome_credits: number;
      /** Shown to everyone at the dashboard. */
      announcement: string;
      /** Whether everyone may read the catalogue of models without logging in. */
      public_models: boolean;
      /** Whether everyone may read how the service does without logging in. */
      public_status: boolean;
    };
  };
  /** Change the service's settings */
  "PATCH /v1/admin/settings": {
    params: undefined;
    query: undefined;
    body: {
      /** Who may open an account: anyone, whoever is invited, or nobody. */
      sign_up?: "open" | "invited" | "closed" | undefined;
      /** For accounts that have chosen none. */
      strategy?: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | undefined;
      /** `frozen`: no outcome changes what is predicted, and nothing is tried out, whatever an account has chosen. */
      routing_learning?: "on" | "frozen" | undefined;
      /** What a new organisation is given, once for each verified address of a person who signs up. */
      welcome_credits?: number | undefined;
      /** Shown to everyone at the dashboard. */
      announcement?: string | undefined;
      /** Whether everyone may read the catalogue of models without logging in. */
      public_models?: boolean | undefined;
      /** Whether everyone may read how the service does without logging in. */
      public_status?: boolean | undefined;
    };
    answer: {
      /** Who may open an account: anyone, whoever is invited, or nobody. */
      sign_up: "open" | "invited" | "closed";
      /** For accounts that have chosen none. */
      strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
      /** `frozen`: no outcome changes what is predicted, and nothing is tried out, whatever an account has chosen. */
      routing_learning: "on" | "frozen";
      /** What a new organisation is given, once for each verified address of a person who signs up. */
      welcome_credits: number;
      /** Shown to everyone at the dashboard. */
      announcement: string;
      /** Whether everyone may read the catalogue of models without logging in. */
      public_models: boolean;
      /** Whether everyone may read how the service does without logging in. */
      public_status: boolean;
    };
  };
  /** The service's safety policy */
  "GET /v1/admin/safety": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      preset: "strict" | "balanced" | "off";
      /** What differs: an action for whatever would at least be reported without it, or scores. */
      categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on values are taken out; null: never. */
        redact_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }> | undefined;
      /** Rules for some models alone, laid over the rest in their order. */
      exceptions?: readonly {
        /** Names or provider/names; whether there are such models is not asked. */
        models?: readonly string[] | undefined;
        /** All models of these. */
        providers?: readonly string[] | undefined;
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
      }[] | undefined;
      /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
      allow_list?: readonly string[] | undefined;
      /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
      dry_run?: boolean | undefined;
      /** Whether values that were taken out of a request are put back into its answer. Default true. */
      restore?: boolean | undefined;
      locked: boolean;
      /** What holds for each category, where no account or key says otherwise. */
      effective: Record<string, {
        report_at: number | null;
        redact_at: number | null;
        refuse_at: number | null;
      }>;
      source: "configuration" | "dashboard";
      /** Who is asked about doubtful texts; null: nobody. */
      judge: {
        /** null: an endpoint of the configuration file's is asked. */
        model: string | null;
        time_box_ms: number;
        on_failure: "open" | "closed";
        /** What kind of endpoint it is. */
        endpoint: "openai-moderation" | "mistral-moderation" | "azure-content-safety" | "azure-prompt-shield" | "llama-guard-chat" | "trunkline" | null;
      } | null;
      /** Who says that, be it nobody. */
      judge_source: "configuration" | "dashboard";
    };
  };
  /** Set the service's safety policy */
  "PUT /v1/admin/safety": {
    params: undefined;
    query: undefined;
    body: {
      /** Begins anew, whatever was said before; absent: what holds without it. */
      preset?: "strict" | "balanced" | "off" | undefined;
      /** What differs: an action for whatever would at least be reported without it, or scores. */
      categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on values are taken out; null: never. */
        redact_at?: number | null | undefined;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }> | undefined;
      /** Rules for some models alone, laid over the rest in their order. */
      exceptions?: readonly {
        /** Names or provider/names; whether there are such models is not asked. */
        models?: readonly string[] | undefined;
        /** All models of these. */
        providers?: readonly string[] | undefined;
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at?: number | null | undefined;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
      }[] | undefined;
      /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
      allow_list?: readonly string[] | undefined;
      /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
      dry_run?: boolean | undefined;
      /** Whether values that were taken out of a request are put back into its answer. Default true. */
      restore?: boolean | undefined;
      /** Accounts and keys can only be stricter; their allow-lists and dry runs do not count. Default false. */
      locked?: boolean | undefined;
      /** The model that is asked about doubtful texts; null: nobody is; absent: as the file has it. */
      judge?: {
        /** `provider/name` of a registered model of texts. */
        model: string;
        /** How long is waited for it. */
        time_box_ms?: number | undefined;
        /** Without an opinion `open` lets our own verdict stand, and `closed` refuses the doubtful text. */
        on_failure?: "open" | "closed" | undefined;
      } | null | undefined;
    };
    answer: {
      preset: "strict" | "balanced" | "off";
      /** What differs: an action for whatever would at least be reported without it, or scores. */
      categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on values are taken out; null: never. */
        redact_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }> | undefined;
      /** Rules for some models alone, laid over the rest in their order. */
      exceptions?: readonly {
        /** Names or provider/names; whether there are such models is not asked. */
        models?: readonly string[] | undefined;
        /** All models of these. */
        providers?: readonly string[] | undefined;
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
      }[] | undefined;
      /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
      allow_list?: readonly string[] | undefined;
      /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
      dry_run?: boolean | undefined;
      /** Whether values that were taken out of a request are put back into its answer. Default true. */
      restore?: boolean | undefined;
      locked: boolean;
      /** What holds for each category, where no account or key says otherwise. */
      effective: Record<string, {
        report_at: number | null;
        redact_at: number | null;
        refuse_at: number | null;
      }>;
      source: "configuration" | "dashboard";
      /** Who is asked about doubtful texts; null: nobody. */
      judge: {
        /** null: an endpoint of the configuration file's is asked. */
        model: string | null;
        time_box_ms: number;
        on_failure: "open" | "closed";
        /** What kind of endpoint it is. */
        endpoint: "openai-moderation" | "mistral-moderation" | "azure-content-safety" | "azure-prompt-shield" | "llama-guard-chat" | "trunkline" | null;
      } | null;
      /** Who says that, be it nobody. */
      judge_source: "configuration" | "dashboard";
    };
  };
  /** Go back to the configuration's safety policy */
  "DELETE /v1/admin/safety": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      preset: "strict" | "balanced" | "off";
      /** What differs: an action for whatever would at least be reported without it, or scores. */
      categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on values are taken out; null: never. */
        redact_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }> | undefined;
      /** Rules for some models alone, laid over the rest in their order. */
      exceptions?: readonly {
        /** Names or provider/names; whether there are such models is not asked. */
        models?: readonly string[] | undefined;
        /** All models of these. */
        providers?: readonly string[] | undefined;
        /** Begins anew, whatever was said before; absent: what holds without it. */
        preset?: "strict" | "balanced" | "off" | undefined;
        /** What differs: an action for whatever would at least be reported without it, or scores. */
        categories?: Record<string, "refuse" | "redact" | "report" | "allow" | {
          /** From which score on; null: never. */
          report_at: number | null;
          /** From which score on values are taken out; null: never. */
          redact_at: number | null;
          /** From which score on; null: never. */
          refuse_at: number | null;
        }> | undefined;
      }[] | undefined;
      /** Phrases that are not judged wherever they stand, in whatever case; `sexual_minors` is judged all the same. */
      allow_list?: readonly string[] | undefined;
      /** Everything is judged and recorded, and nothing refused or redacted but `sexual_minors`, which is refused all the same. */
      dry_run?: boolean | undefined;
      /** Whether values that were taken out of a request are put back into its answer. Default true. */
      restore?: boolean | undefined;
      locked: boolean;
      /** What holds for each category, where no account or key says otherwise. */
      effective: Record<string, {
        report_at: number | null;
        redact_at: number | null;
        refuse_at: number | null;
      }>;
      source: "configuration" | "dashboard";
      /** Who is asked about doubtful texts; null: nobody. */
      judge: {
        /** null: an endpoint of the configuration file's is asked. */
        model: string | null;
        time_box_ms: number;
        on_failure: "open" | "closed";
        /** What kind of endpoint it is. */
        endpoint: "openai-moderation" | "mistral-moderation" | "azure-content-safety" | "azure-prompt-shield" | "llama-guard-chat" | "trunkline" | null;
      } | null;
      /** Who says that, be it nobody. */
      judge_source: "configuration" | "dashboard";
    };
  };
  /** How the service does */
  "GET /v1/admin/health": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      process: {
        uptime_seconds: number;
        node: string;
        memory_bytes: number;
        event_loop_p99_ms: number;
        requests_running: number;
        /** By how much the machine's clock is ahead of the database's, whose time is used; null: not measured. */
        clock_skew_seconds: number | null;
      };
      instances: readonly {
        id: string;
        started_at: string;
        this: boolean;
      }[];
      store: {
        version: string;
        bytes: number;
        connections: number;
        answer_ms: number;
        embedded: boolean;
      };
      last_hour: {
        requests: number;
        errors: number;
        cost: number;
      };
      accounts: number;
      /** Webhook events that are still to be delivered. */
      deliveries_waiting: number;
      ledger_sealed_at: string | null;
      models: Record<string, number>;
      troubled: readonly {
        model: string;
        state: string;
        error_rate: number;
        calls: number;
      }[];
      /** Providers that did not say which models the service's key may use, such as within 10 s. All of their known models stay offered, and they are asked again each hour. */
      unlisted_providers: readonly {
        provider: string;
        reason: "no_answer" | "key_refused" | "failed" | "unreadable" | "incomplete";
        detail: string;
      }[];
    };
  };
  /** Chat, in OpenAI's form */
  "POST /openai/v1/chat/completions": {
    params: undefined;
    query: undefined;
    body: {
      /** A name from GET /openai/v1/models, the short name of a model, or `auto`, `auto:cost`, `auto:speed`, `auto:quality`. Required unless `models` is there. */
      model?: string | undefined;
      messages: readonly ({
        role: "system" | "developer";
        content: string | readonly {
          type: "text";
          text: string;
        }[];
      } | {
        role: "user";
        content: string | readonly ({
          type: "text";
          text: string;
        } | {
          type: "image_url";
          image_url: {
            /** https: or data: URL */
            url: string;
            detail?: "auto" | "low" | "high" | undefined;
          };
        } | {
          type: "input_audio";
          input_audio: {
            /** Base64. */
            data: string;
            format: "wav" | "mp3";
          };
        } | {
          type: "file";
          file: {
            /** A data: URL, or base64. */
            file_data?: string | undefined;
            /** A file that was uploaded, in the place of `file_data`. */
            file_id?: string | undefined;
            filename?: string | undefined;
          };
        })[];
      } | {
        role: "assistant";
        content?: string | readonly ({
          type: "text";
          text: string;
        } | {
          type: "refusal";
          refusal: string;
        })[] | null | undefined;
        refusal?: string | null | undefined;
        /** What the model thought, as it was given out. */
        reasoning_content?: string | null | undefined;
        /** The same under OpenRouter's name. */
        reasoning?: string | null | undefined;
        tool_calls?: readonly ({
          id: string;
          type: "function";
          function: {
            name: string;
            /** JSON. */
            arguments: string;
          };
        } | {
          id: string;
          type: "custom";
          custom: {
            name: string;
            input: string;
          };
        })[] | undefined;
        function_call?: {
          name: string;
          /** JSON. */
          arguments: string;
        } | null | undefined;
      } | {
        role: "tool";
        tool_call_id: string;
        content: string | readonly {
          type: "text";
          text: string;
        }[];
      } | {
        role: "function";
        name: string;
        content: string | readonly {
          type: "text";
          text: string;
        }[];
      })[];
      max_tokens?: number | null | undefined;
      temperature?: number | null | undefined;
      top_p?: number | null | undefined;
      n?: number | null | undefined;
      stop?: string | readonly string[] | null | undefined;
      seed?: number | null | undefined;
      frequency_penalty?: number | null | undefined;
      presence_penalty?: number | null | undefined;
      stream?: boolean | null | undefined;
      stream_options?: {
        include_usage?: boolean | undefined;
      } | null | undefined;
      /** Counts before `max_tokens`. */
      max_completion_tokens?: number | null | undefined;
      tools?: readonly ({
        type: "function";
        function: {
          name: string;
          description?: string | null | undefined;
          /** A JSON schema. */
          parameters?: Record<string, unknown> | null | undefined;
          strict?: boolean | null | undefined;
        };
      } | {
        type: "custom";
        /** A tool whose input is a text. The model sees it as a function with one text. */
        custom: {
          name: string;
          description?: string | null | undefined;
          /** Any text, or a grammar, which is described to the model. */
          format?: {
            type: string;
          } | null | undefined;
        };
      } | {
        type: string;
      })[] | undefined;
      tool_choice?: "none" | "auto" | "required" | {
        type: "function";
        function: {
          name: string;
        };
      } | {
        type: "custom";
        custom: {
          name: string;
        };
      } | {
        type: "allowed_tools";
        allowed_tools: {
          mode: "auto" | "required";
          tools: readonly {
            type: "function";
            function: {
              name: string;
            };
          }[];
        };
      } | undefined;
      parallel_tool_calls?: boolean | undefined;
      /** The old form of `tools`. */
      functions?: readonly {
        name: string;
        description?: string | null | undefined;
        /** A JSON schema. */
        parameters?: Record<string, unknown> | null | undefined;
        strict?: boolean | null | undefined;
      }[] | undefined;
      function_call?: "none" | "auto" | {
        name: string;
      } | undefined;
      response_format?: {
        type: "text" | "json_object";
      } | {
        type: "json_schema";
        json_schema: {
          name: string;
          description?: string | undefined;
          schema?: Record<string, unknown> | undefined;
          strict?: boolean | null | undefined;
        };
      } | undefined;
      logprobs?: boolean | null | undefined;
      top_logprobs?: number | null | undefined;
      reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null | undefined;
      /** OpenRouter's: how much to think. What the model thought is then in `reasoning`. */
      reasoning?: {
        effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max" | null | undefined;
        max_tokens?: number | null | undefined;
        enabled?: boolean | null | undefined;
        /** true: the answer leaves out what the model thought. */
        exclude?: boolean | null | undefined;
      } | null | undefined;
      /** OpenRouter's: `include: true` does what `stream_options.include_usage` does. */
      usage?: {
        include?: boolean | null | undefined;
      } | null | undefined;
      /** As in our own API. OpenRouter's `fallback` is taken too, and changes nothing. */
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | "cascade" | undefined;
      /** What an answer must be like; only with `route: cascade`. */
      check?: {
        /** The answer, read as JSON, must meet it. At most 64 KiB. */
        json_schema?: Record<string, unknown> | undefined;
        /** The answer must hold a match. RE2's syntax. */
        regex?: string | undefined;
        /** In characters. */
        min_length?: number | undefined;
        /** Asked in any case. */
        non_empty?: boolean | undefined;
      } | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
        /** With `speed: fast`: ask a second model where the first takes longer than usual. */
        hedge?: boolean | undefined;
        /** Where the request may be processed: countries by ISO 3166, `eu` or `eea`. */
        data_regions?: readonly string[] | undefined;
        /** For how many days a provider may keep its data; 0: not at all. */
        data_retention_days?: number | undefined;
      } | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      /** Requests of one session stay with one model while it serves them. */
      session?: string | undefined;
      /** false: an answer that breaks off in the middle is not continued by another model. */
      continue?: boolean | undefined;
      /** With `speed: fast`: ask a second model where the first takes longer than usual. */
      hedge?: boolean | undefined;
      /** Whether the answer may be one that was given before, at no cost; false: never. */
      cache?: {
        /** Seconds. */
        ttl: number;
        /** How alike the last words must be; true: 0.95. */
        similarity?: number | boolean | undefined;
      } | false | undefined;
      /** The client's own tags, by which requests and usage can be found: up to 16 names with a text each. */
      tags?: Record<string, string> | undefined;
      /** OpenRouter's: models to try next; the first is the model where `model` is left out. */
      models?: readonly string[] | null | undefined;
      /** OpenRouter's choice of providers. */
      provider?: {
        /** Providers to try first, in this order. */
        order?: readonly string[] | null | undefined;
        only?: readonly string[] | null | undefined;
        ignore?: readonly string[] | null | undefined;
        /** With `order`: false leaves all other providers out. */
        allow_fallbacks?: boolean | null | undefined;
        sort?: "price" | "throughput" | "latency" | "exacto" | {
          by?: "price" | "throughput" | "latency" | "exacto" | null | undefined;
          partition?: "model" | "none" | null | undefined;
        } | null | undefined;
        /** true: only providers that claim to keep no data. */
        zdr?: boolean | null | undefined;
        /** deny: only providers that claim to keep no data. */
        data_collection?: "allow" | "deny" | null | undefined;
        /** In dollars; models with a higher price are left out. */
        max_price?: {
          /** Per million tokens. */
          prompt?: number | string | null | undefined;
          /** Per million tokens. */
          completion?: number | string | null | undefined;
          request?: number | string | null | undefined;
          image?: number | string | null | undefined;
        } | null | undefined;
      } | null | undefined;
      logit_bias?: Record<string, number> | null | undefined;
      user?: string | undefined;
      metadata?: Record<string, string> | null | undefined;
      store?: boolean | null | undefined;
      prompt_cache_key?: string | null | undefined;
      safety_identifier?: string | null | undefined;
      verbosity?: "low" | "medium" | "high" | null | undefined;
    };
    answer: {
      id: string;
      /** In seconds since 1970. */
      created: number;
      /** `provider/name` of the model that answered. */
      model: string;
      system_fingerprint: null;
      object: "chat.completion";
      choices: readonly ({
        index: number;
        message: {
          role: "assistant";
          content: string | null;
          refusal: null;
          /** What the model thought, where its provider tells. */
          reasoning_content?: string | undefined;
          /** The same, where the request has `reasoning`. */
          reasoning?: string | undefined;
          tool_calls?: readonly ({
            id: string;
            /** Send it back with the call: Gemini knows its own calls again by it. */
            extra_content?: {
              google: {
                thought_signature: string;
              };
            } | undefined;
            type: "function";
            function: {
              name: string;
              /** JSON. */
              arguments: string;
            };
          } | {
            id: string;
            /** Send it back with the call: Gemini knows its own calls again by it. */
            extra_content?: {
              google: {
                thought_signature: string;
              };
            } | undefined;
            type: "custom";
            custom: {
              name: string;
              input: string;
            };
          })[] | undefined;
          function_call?: {
            name: string;
            /** JSON. */
            arguments: string;
          } | undefined;
        };
        /** In OpenAI's form, where `logprobs` was true and the provider tells them. */
        logprobs: {
          content: readonly unknown[];
          refusal: null;
        } | null;
        finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call";
      })[];
      usage: {
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
        prompt_tokens_details: {
          cached_tokens: number;
        };
        completion_tokens_details: {
          reasoning_tokens: number;
        };
        /** What was charged, in credits. OpenAI has no such field. */
        cost: number;
      };
    };
    event: {
      id: string;
      /** In seconds since 1970. */
      created: number;
      /** `provider/name` of the model that answered. */
      model: string;
      system_fingerprint: null;
      object: "chat.completion.chunk";
      choices: readonly ({
        index: number;
        delta: {
          role?: "assistant" | undefined;
          content?: string | undefined;
          reasoning_content?: string | undefined;
          reasoning?: string | undefined;
          tool_calls?: readonly ({
            id: string;
            /** Send it back with the call: Gemini knows its own calls again by it. */
            extra_content?: {
              google: {
                thought_signature: string;
              };
            } | undefined;
            type: "function";
            function: {
              name: string;
              /** JSON. */
              arguments: string;
            };
            index: number;
          } | {
            id: string;
            /** Send it back with the call: Gemini knows its own calls again by it. */
            extra_content?: {
              google: {
                thought_signature: string;
              };
            } | undefined;
            type: "custom";
            custom: {
              name: string;
              input: string;
            };
            index: number;
          })[] | undefined;
          function_call?: {
            name: string;
            /** JSON. */
            arguments: string;
          } | undefined;
        };
        /** In OpenAI's form, where `logprobs` was true and the provider tells them. */
        logprobs: {
          content: readonly unknown[];
          refusal: null;
        } | null;
        finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call" | null;
      })[];
      usage?: {
        prompt_tokens: number;
        completion_tokens: number;
        total_tokens: number;
        prompt_tokens_details: {
          cached_tokens: number;
        };
        completion_tokens_details: {
          reasoning_tokens: number;
        };
        /** What was charged, in credits. OpenAI has no such field. */
        cost: number;
      } | null | undefined;
    };
  };
  /** Upload a file of requests, or one that messages name */
  "POST /v1/files": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      object: "file";
      /** Of a file of results: so far. */
      bytes: number;
      /** Seconds since 1970. */
      created_at: number;
      /** Seconds since 1970. */
      expires_at: number;
      filename: string;
      purpose: "batch" | "batch_output" | "user_data" | "vision" | "assistants";
      status: "processed";
    };
  };
  /** List the account's files */
  "GET /v1/files": {
    params: undefined;
    query: {
      /** The id of the last entry of the page before. */
      after?: string | undefined;
      limit?: number | undefined;
      purpose?: "batch" | "batch_output" | "user_data" | "vision" | "assistants" | undefined;
      /** Newest first, always. */
      order?: "desc" | undefined;
    };
    body: undefined;
    answer: {
      object: "list";
      data: readonly {
        id: string;
        object: "file";
        /** Of a file of results: so far. */
        bytes: number;
        /** Seconds since 1970. */
        created_at: number;
        /** Seconds since 1970. */
        expires_at: number;
        filename: string;
        purpose: "batch" | "batch_output" | "user_data" | "vision" | "assistants";
        status: "processed";
      }[];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
  };
  /** One file */
  "GET /v1/files/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      object: "file";
      /** Of a file of results: so far. */
      bytes: number;
      /** Seconds since 1970. */
      created_at: number;
      /** Seconds since 1970. */
      expires_at: number;
      filename: string;
      purpose: "batch" | "batch_output" | "user_data" | "vision" | "assistants";
      status: "processed";
    };
  };
  /** Delete a file */
  "DELETE /v1/files/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      object: "file";
      deleted: true;
    };
  };
  /** What a file holds */
  "GET /v1/files/{id}/content": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: string;
  };
  /** Run a file of requests */
  "POST /v1/batches": {
    params: undefined;
    query: undefined;
    body: {
      input_file_id: string;
      /** The operation that every line names as its `url`, for example /v1/chat/completions. */
      endpoint: string;
      completion_window: "24h";
      metadata?: Record<string, string> | null | undefined;
    };
    answer: {
      id: string;
      object: "batch";
      endpoint: string;
      /** What is wrong with its file, line by line. */
      errors: {
        object: "list";
        data: readonly {
          code: string;
          message: string;
          line: number | null;
          param: string | null;
        }[];
      } | null;
      input_file_id: string;
      completion_window: "24h";
      status: "validating" | "in_progress" | "finalizing" | "completed" | "failed" | "expired" | "cancelling" | "cancelled";
      /** Its content is what is done so far; null while the batch is validated. */
      output_file_id: string | null;
      /** null while nothing failed. */
      error_file_id: string | null;
      /** Seconds since 1970. */
      created_at: number;
      /** Seconds since 1970. */
      expires_at: number;
      in_progress_at: number | null;
      finalizing_at: number | null;
      completed_at: number | null;
      failed_at: number | null;
      expired_at: number | null;
      cancelling_at: number | null;
      cancelled_at: number | null;
      request_counts: {
        total: number;
        completed: number;
        failed: number;
      };
      metadata: Record<string, string> | null;
    };
  };
  /** List the account's batches */
  "GET /v1/batches": {
    params: undefined;
    query: {
      /** The id of the last entry of the page before. */
      after?: string | undefined;
      limit?: number | undefined;
    };
    body: undefined;
    answer: {
      object: "list";
      data: readonly ({
        id: string;
        object: "batch";
        endpoint: string;
        /** What is wrong with its file, line by line. */
        errors: {
          object: "list";
          data: readonly {
            code: string;
            message: string;
            line: number | null;
            param: string | null;
          }[];
        } | null;
        input_file_id: string;
        completion_window: "24h";
        status: "validating" | "in_progress" | "finalizing" | "completed" | "failed" | "expired" | "cancelling" | "cancelled";
        /** Its content is what is done so far; null while the batch is validated. */
        output_file_id: string | null;
        /** null while nothing failed. */
        error_file_id: string | null;
        /** Seconds since 1970. */
        created_at: number;
        /** Seconds since 1970. */
        expires_at: number;
        in_progress_at: number | null;
        finalizing_at: number | null;
        completed_at: number | null;
        failed_at: number | null;
        expired_at: number | null;
        cancelling_at: number | null;
        cancelled_at: number | null;
        request_counts: {
          total: number;
          completed: number;
          failed: number;
        };
        metadata: Record<string, string> | null;
      })[];
      first_id: string | null;
      last_id: string | null;
      has_more: boolean;
    };
  };
  /** One batch and how far it is */
  "GET /v1/batches/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      object: "batch";
      endpoint: string;
      /** What is wrong with its file, line by line. */
      errors: {
        object: "list";
        data: readonly {
          code: string;
          message: string;
          line: number | null;
          param: string | null;
        }[];
      } | null;
      input_file_id: string;
      completion_window: "24h";
      status: "validating" | "in_progress" | "finalizing" | "completed" | "failed" | "expired" | "cancelling" | "cancelled";
      /** Its content is what is done so far; null while the batch is validated. */
      output_file_id: string | null;
      /** null while nothing failed. */
      error_file_id: string | null;
      /** Seconds since 1970. */
      created_at: number;
      /** Seconds since 1970. */
      expires_at: number;
      in_progress_at: number | null;
      finalizing_at: number | null;
      completed_at: number | null;
      failed_at: number | null;
      expired_at: number | null;
      cancelling_at: number | null;
      cancelled_at: number | null;
      request_counts: {
        total: number;
        completed: number;
        failed: number;
      };
      metadata: Record<string, string> | null;
    };
  };
  /** Cancel a batch */
  "POST /v1/batches/{id}/cancel": {
    params: {
      id: string;
    };
    query: undefined;
    body: undefined;
    answer: {
      id: string;
      object: "batch";
      endpoint: string;
      /** What is wrong with its file, line by line. */
      errors: {
        object: "list";
        data: readonly {
          code: string;
          message: string;
          line: number | null;
          param: string | null;
        }[];
      } | null;
      input_file_id: string;
      completion_window: "24h";
      status: "validating" | "in_progress" | "finalizing" | "completed" | "failed" | "expired" | "cancelling" | "cancelled";
      /** Its content is what is done so far; null while the batch is validated. */
      output_file_id: string | null;
      /** null while nothing failed. */
      error_file_id: string | null;
      /** Seconds since 1970. */
      created_at: number;
      /** Seconds since 1970. */
      expires_at: number;
      in_progress_at: number | null;
      finalizing_at: number | null;
      completed_at: number | null;
      failed_at: number | null;
      expired_at: number | null;
      cancelling_at: number | null;
      cancelled_at: number | null;
      request_counts: {
        total: number;
        completed: number;
        failed: number;
      };
      metadata: Record<string, string> | null;
    };
  };
}
