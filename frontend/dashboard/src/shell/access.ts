// Logging in and out: the server keeps the key in a cookie that no script can read.
import { refusal, type Standing } from "../core/access";

const LOGIN = "/api/v1/login";

export async function fetchStanding(): Promise<Standing | null> {
  const response = await fetch(LOGIN, { headers: { accept: "application/json" } });
  return response.ok ? ((await response.json()) as Standing) : null;
}

/** Null when it worked, else what to tell. */
export async function logIn(key: string): Promise<string | null> {
  const response = await post(LOGIN, JSON.stringify({ key })).catch(() => null);
  if (response?.ok) return null;
  const problem = await response?.json().catch(() => null);
  return refusal(response?.status ?? 0, problem?.detail);
}

export async function logOut(): Promise<void> {
  await post("/api/v1/logout").catch(() => null);
}

function post(path: string, body: string | null = null): Promise<Response> {
  return fetch(path, { method: "POST", body, headers: { "content-type": "application/json" } });
}
