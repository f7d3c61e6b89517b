export * from "../domain/safety-category.ts";
