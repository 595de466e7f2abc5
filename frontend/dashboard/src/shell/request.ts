// Questions of single pages to the API, and what they change there.

const API = "/api/v1";

/** The server said no, or nothing (`status` 0). The message is its own sentence, if it gave one. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    detail: string,
  ) {
    super(detail);
  }
}

export function ask<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>(path, { signal: signal ?? null });
}

export function tell<T>(path: string, body: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  return request<T>(path, { method: "POST", body: JSON.stringify(body), headers });
}

export function remove(path: string): Promise<void> {
  return request<void>(path, { method: "DELETE" });
}

async function request<T>(path: string, options: RequestInit): Promise<T> {
  const headers = { accept: "application/json", ...options.headers };
  const response = await fetch(API + path, { ...options, headers }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw new Refusal(0, "");
  });
  if (!response.ok) throw new Refusal(response.status, await reason(response));
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function reason(response: Response): Promise<string> {
  const problem: unknown = await response.json().catch(() => null);
  const { detail, errors } = (problem ?? {}) as { detail?: string; errors?: { detail: string }[] };
  return errors?.map((each) => each.detail).join("; ") || (detail ?? "");
}
