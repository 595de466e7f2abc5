// Questions to the API whose answers may be a problem that is worth telling.
import { lockedOut } from "./http";
import { t } from "../core/language";
import { problemOf, type Problem } from "../core/problem";

const API = "/api/v1";

/** The question was not answered; `problem` says why. */
export class Unanswered extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** The answer to a GET. Raises `Unanswered`, or an AbortError after `signal`. */
export async function ask<T>(path: string, signal: AbortSignal | null = null): Promise<T> {
  const response = await send(path, { signal, headers: { accept: "application/json" } });
  return (await response.json()) as T;
}

/** Sends JSON. Raises `Unanswered`. */
export async function post<T>(path: string, body: object): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await send(path, { method: "POST", body: JSON.stringify(body), headers });
  return (await response.json()) as T;
}

/** Raises `Unanswered`. */
export async function remove(path: string): Promise<void> {
  await send(path, { method: "DELETE" });
}

/** Where a file of the API can be had. */
export function fileAddress(path: string): string {
  return API + path;
}

async function send(path: string, options: RequestInit): Promise<Response> {
  const response = await fetch(API + path, options).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw new Unanswered({ status: 0, ...silent() });
  });
  if (response.status === 401) lockedOut();
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw new Unanswered(problemOf(response.status, body, silent()));
}

function silent(): { title: string; detail: string } {
  return { title: t().history.noAnswer, detail: t().history.noAnswerDetail };
}
