// Made from the table of operations by `npm run sdk:types`. Never edit it by hand.

export type Error = {
  error: {
    /** A sentence that says what to do. */
    message: string;
    /** The HTTP status. */
    code: number;
    type: "invalid_request" | "missing_api_key" | "invalid_api_key" | "invalid_session" | "invalid_login" | "insufficient_balance" | "budget_exceeded" | "insufficient_scope" | "insufficient_role" | "cross_site" | "account_suspended" | "unsafe_input" | "unsafe_output" | "not_found" | "model_not_found" | "method_not_allowed" | "request_timeout" | "idempotency_in_progress" | "conflict" | "payload_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "rate_limited" | "internal" | "provider_error" | "no_model_available" | "overloaded" | "unavailable" | "provider_timeout";
    /** The field at fault. */
    param?: string | undefined;
    request_id: string;
    /** Why the safety check refused. */
    categories?: readonly string[] | undefined;
    attempts?: readonly {
      model: string;
      reason: string;
      ms: number;
    }[] | undefined;
    /** What was charged although the answer is an error, in credits. */
    cost?: number | undefined;
  };
};

/** Every operation under /v1: what it takes and what it answers. */
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
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
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
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
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
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
    };
    answer: {
      delta: string;
    } | {
      done: true;
      model: string;
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
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
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
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
      voice?: string | undefined;
      format?: string | undefined;
    };
    answer: {
      audio_url: string;
      model: string;
      cost: number;
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
      providers: readonly {
        provider: string;
        name: string;
        /** `provider/name`, the name that is unique. */
        full_name: string;
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description: string;
        state: "pending" | "probation" | "active" | "suspended" | "blocked";
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
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
        performance: {
          avg_latency_ms: number | null;
          accuracy_score: number | null;
        };
        cost_efficiency: string | null;
        streaming: boolean;
        context_window: number | null;
        max_output_tokens: number | null;
        /** null for the built-in models. */
        created_at: string | null;
        /** The last hour, as all instances saw it. */
        live: {
          /** Whether this instance would call it now. */
          available: boolean;
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
      }[];
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
      data: readonly {
        provider: string;
        name: string;
        /** `provider/name`, the name that is unique. */
        full_name: string;
        type: "text" | "image" | "audio" | "multimodal" | "embedding";
        description: string;
        state: "pending" | "probation" | "active" | "suspended" | "blocked";
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
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
        performance: {
          avg_latency_ms: number | null;
          accuracy_score: number | null;
        };
        cost_efficiency: string | null;
        streaming: boolean;
        context_window: number | null;
        max_output_tokens: number | null;
        /** null for the built-in models. */
        created_at: string | null;
        /** The last hour, as all instances saw it. */
        live: {
          /** Whether this instance would call it now. */
          available: boolean;
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
      }[];
      next_cursor: string | null;
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
      /** A name from GET /v1/models, provider/name, or `auto`. */
      model?: string | undefined;
      route?: "auto" | "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid" | "cost" | "speed" | "quality" | undefined;
      preferences?: {
        speed?: "fast" | "balanced" | "any" | undefined;
        cost?: "low" | "balanced" | "any" | undefined;
        quality?: "high" | "balanced" | "any" | undefined;
        /** The most this request may cost, in credits. */
        max_cost?: number | undefined;
        max_latency_ms?: number | undefined;
        min_quality?: number | undefined;
      } | undefined;
      parameters?: {
        max_tokens?: number | undefined;
        temperature?: number | undefined;
        /** <width>x<height>, each 16 to 8192. */
        size?: string | undefined;
        voice?: string | undefined;
        format?: string | undefined;
      } & Record<string, string | number | boolean | null> | undefined;
      /** Models to try next. */
      fallbacks?: readonly string[] | undefined;
      attachments?: readonly {
        type: "image" | "audio" | "file";
        /** https: or data: URL */
        url: string;
      }[] | undefined;
    };
    answer: {
      strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
      task: string;
      candidates: readonly {
        model: string;
        predicted_quality: number;
        expected_latency_ms: number;
        estimated_cost: number;
        worst_case_cost: number;
        reasons: readonly string[];
      }[];
      left_out: readonly {
        model: string;
        reason: string;
      }[];
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
  /** Usage by day, model, key, task or provider */
  "GET /v1/usage/breakdown": {
    params: undefined;
    query: {
      /** An ISO date or a date-time; inclusive. */
      from?: string | undefined;
      /** An ISO date (that whole day counts) or a date-time (exclusive). */
      to?: string | undefined;
      /** The IANA zone in which dates are meant. Default: the account's own. */
      timezone?: string | undefined;
      group_by?: "day" | "model" | "key" | "task" | "provider" | undefined;
    };
    body: undefined;
    answer: {
      group_by: "day" | "model" | "key" | "task" | "provider";
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
  /** List what happened, newest first */
  "GET /v1/requests": {
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
        created_at: string;
        path: string;
        task: string;
        /** provider/name */
        model: string | null;
        status: number;
        error_type: string | null;
        input_tokens: number;
        output_tokens: number;
        cost: number;
        latency_ms: number;
        key_id: string;
      }[];
      next_cursor: string | null;
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
      /** provider/name */
      model: string | null;
      status: number;
      error_type: string | null;
      input_tokens: number;
      output_tokens: number;
      cost: number;
      latency_ms: number;
      key_id: string;
      /** Whose count of tokens was charged. */
      usage_source: "provider" | "own" | "none";
      /** How many of the input tokens came out of the provider's cache. */
      cached_input_tokens: number;
      /** Milliseconds of audio, made or heard, that were charged for. */
      audio_ms: number;
      /** Whose count of audio that is; left out where there was none. */
      audio_source?: "provider" | "measured" | "estimated" | undefined;
      price_version: string | null;
      /** What was set aside for the worst case, in credits. */
      held: number;
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
      /** The IANA zone in which the account's days, weeks and months begin. */
      time_zone: string;
      alerts: {
        /** `balance.low` is sent when the balance falls below this many credits; null: never. */
        low_balance: number | null;
        /** `budget.threshold` is sent when a key has used these parts of its budget. */
        budget_thresholds: readonly number[];
      };
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
      /** The IANA zone in which the account's days, weeks and months begin. */
      time_zone?: string | undefined;
      alerts?: {
        /** `balance.low` is sent when the balance falls below this many credits; null: never. */
        low_balance?: number | null | undefined;
        /** `budget.threshold` is sent when a key has used these parts of its budget. */
        budget_thresholds?: readonly number[] | undefined;
      } | undefined;
    };
    answer: {
      /** Keep prompts and outputs in the request records. */
      store_content: boolean;
      /** The IANA zone in which the account's days, weeks and months begin. */
      time_zone: string;
      alerts: {
        /** `balance.low` is sent when the balance falls below this many credits; null: never. */
        low_balance: number | null;
        /** `budget.threshold` is sent when a key has used these parts of its budget. */
        budget_thresholds: readonly number[];
      };
      /** Suspended: no credits are left, so nothing that costs is answered. */
      status: "active" | "suspended";
    };
  };
  /** Make a key */
  "POST /v1/keys": {
    params: undefined;
    query: undefined;
    body: {
      name: string;
      /** What the key may do. A key can't grant a scope that it lacks. */
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[];
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
    };
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[];
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
      created_at: string;
      last_used_at: string | null;
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
    };
    body: undefined;
    answer: {
      data: readonly ({
        id: string;
        name: string;
        scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[];
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
        created_at: string;
        last_used_at: string | null;
      })[];
      next_cursor: string | null;
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
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[];
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
      created_at: string;
      last_used_at: string | null;
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
      scopes?: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[] | undefined;
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
    };
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[];
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
      created_at: string;
      last_used_at: string | null;
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
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[];
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
      created_at: string;
      last_used_at: string | null;
      /** The secret. Shown this once. */
      key: string;
      old_secret_ends_at: string;
    };
  };
  /** Make a webhook */
  "POST /v1/webhooks": {
    params: undefined;
    query: undefined;
    body: {
      /** Where events are sent by POST. */
      url: string;
      /** The types of events to send. Absent or null: all, also those that come later. */
      events?: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored")[] | null | undefined;
      description?: string | undefined;
    };
    answer: {
      id: string;
      url: string;
      events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored")[] | null;
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
        events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored")[] | null;
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
      events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored")[] | null;
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
      events?: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored")[] | null | undefined;
      description?: string | undefined;
      /** Whether events are sent to it. */
      enabled?: boolean | undefined;
    };
    answer: {
      id: string;
      url: string;
      events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored")[] | null;
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
      events: readonly ("budget.threshold" | "balance.low" | "balance.exhausted" | "balance.restored")[] | null;
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
  /** See what the safety check makes of a text */
  "POST /v1/safety/check": {
    params: undefined;
    query: undefined;
    body: {
      input: string;
      channel?: "user" | "document" | "output" | null | undefined;
    };
    answer: {
      flagged: boolean;
      action: "allow" | "report" | "redact" | "refuse";
      categories: Record<string, number>;
      spans: readonly {
        category: string;
        start: number;
        end: number;
      }[];
      /** What was undone before judging. */
      normalised: readonly string[];
    };
  };
  /** Register a model */
  "POST /v1/provider/models": {
    params: undefined;
    query: undefined;
    body: {
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
      description?: string | undefined;
      /** The provider's generate endpoint. */
      endpoint: string;
      /** Default: bearer where a credential is given, else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** Write-only. Encrypted at rest, never shown again. */
      credential?: string | null | undefined;
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
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
      name: string;
    };
    answer: {
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
      description?: string | undefined;
      /** The provider's generate endpoint. */
      endpoint: string;
      /** Default: bearer where a credential is given, else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** null: it can't be read, and the model is not called. */
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
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
      id: string;
      name: string;
      provider: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
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
        /** The provider's generate endpoint. */
        endpoint: string;
        /** Default: bearer where a credential is given, else none. */
        auth_type?: "bearer" | "x-api-key" | "none" | undefined;
        /** null: it can't be read, and the model is not called. */
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
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
        id: string;
        name: string;
        provider: string;
        state: "pending" | "probation" | "active" | "suspended" | "blocked";
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
      /** The provider's generate endpoint. */
      endpoint: string;
      /** Default: bearer where a credential is given, else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** null: it can't be read, and the model is not called. */
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
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
      id: string;
      name: string;
      provider: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
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
      /** The provider's generate endpoint. */
      endpoint?: string | undefined;
      /** Default: bearer where a credential is given, else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** Write-only. Encrypted at rest, never shown again. */
      credential?: string | null | undefined;
      pricing?: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
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
      state?: "active" | "suspended" | undefined;
    };
    answer: {
      type: "text" | "image" | "audio" | "multimodal" | "embedding";
      description?: string | undefined;
      /** The provider's generate endpoint. */
      endpoint: string;
      /** Default: bearer where a credential is given, else none. */
      auth_type?: "bearer" | "x-api-key" | "none" | undefined;
      /** null: it can't be read, and the model is not called. */
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
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
      id: string;
      name: string;
      provider: string;
      state: "pending" | "probation" | "active" | "suspended" | "blocked";
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
      findings: readonly {
        check: string;
        verdict: "pass" | "warn" | "fail";
        message: string;
      }[];
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
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[];
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
    };
    answer: {
      id: string;
      name: string;
      scopes: readonly ("inference" | "read" | "manage" | "billing" | "provider" | "admin")[];
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
      created_at: string;
      last_used_at: string | null;
      key: string;
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
    };
  };
  /** Rename or suspend an account */
  "PATCH /v1/admin/accounts/{id}": {
    params: {
      id: string;
    };
    query: undefined;
    body: {
      name?: string | undefined;
      suspended?: boolean | undefined;
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
        pricing: {
          input_per_1k_tokens?: number | undefined;
          /** For input out of the provider's cache; null: as any other input. */
          cached_input_per_1k_tokens?: number | null | undefined;
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
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
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
      pricing: {
        input_per_1k_tokens?: number | undefined;
        /** For input out of the provider's cache; null: as any other input. */
        cached_input_per_1k_tokens?: number | null | undefined;
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
      /** What a new organisation is given. */
      welcome_credits: number;
      /** Shown to everyone at the dashboard. */
      announcement: string;
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
      /** What a new organisation is given. */
      welcome_credits?: number | undefined;
      /** Shown to everyone at the dashboard. */
      announcement?: string | undefined;
    };
    answer: {
      /** Who may open an account: anyone, whoever is invited, or nobody. */
      sign_up: "open" | "invited" | "closed";
      /** For accounts that have chosen none. */
      strategy: "cost-optimized" | "speed-optimized" | "quality-optimized" | "hybrid";
      /** What a new organisation is given. */
      welcome_credits: number;
      /** Shown to everyone at the dashboard. */
      announcement: string;
    };
  };
  /** The safety policy */
  "GET /v1/admin/safety": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      preset: "strict" | "balanced" | "off";
      /** What differs from the preset. */
      categories: Record<string, "refuse" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }>;
      /** What holds for each category. */
      effective: Record<string, {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }>;
      source: "configuration" | "dashboard";
    };
  };
  /** Set the safety policy */
  "PUT /v1/admin/safety": {
    params: undefined;
    query: undefined;
    body: {
      preset: "strict" | "balanced" | "off";
      categories?: Record<string, "refuse" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }> | undefined;
    };
    answer: {
      preset: "strict" | "balanced" | "off";
      /** What differs from the preset. */
      categories: Record<string, "refuse" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }>;
      /** What holds for each category. */
      effective: Record<string, {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }>;
      source: "configuration" | "dashboard";
    };
  };
  /** Go back to the configuration's safety policy */
  "DELETE /v1/admin/safety": {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: {
      preset: "strict" | "balanced" | "off";
      /** What differs from the preset. */
      categories: Record<string, "refuse" | "report" | "allow" | {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }>;
      /** What holds for each category. */
      effective: Record<string, {
        /** From which score on; null: never. */
        report_at: number | null;
        /** From which score on; null: never. */
        refuse_at: number | null;
      }>;
      source: "configuration" | "dashboard";
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
    };
  };
}
