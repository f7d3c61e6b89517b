import type { Offer } from "../../api/catalogue.ts";

interface SampleRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A first request to a model of a type. */
export function sampleRequest(type: Offer["type"], model: string): SampleRequest {
  switch (type) {
    case "image":
      return { path: "/v1/image", body: { input: "A lake at dawn", size: "1024x1024", model } };
    case "audio":
      return { path: "/v1/audio", body: { input: "Good morning.", model } };
    case "multimodal":
      return {
        path: "/v1/stream",
        body: {
          task: "vision",
          input: "What is in this picture?",
          model,
          attachments: [{ type: "image", url: "https://example.com/picture.png" }],
        },
      };
    case "embedding":
      return { path: "/v1/generate", body: { input: "Some text", model } };
    case "text":
      return { path: "/v1/stream", body: { task: "chat", input: "Hello", model } };
  }
}
