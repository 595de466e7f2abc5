// Who looks at the page, as the server knows them.
import { t } from "./language";

/** The answer of `GET /api/v1/login`. `expires` is ms since 1970. */
export interface Standing {
  readonly needs_key: boolean;
  readonly key_id: string | null;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires: number | null;
}

/** Whether nothing can be shown before somebody logs in. */
export function isLockedOut(standing: Standing | null): boolean {
  return standing !== null && !standing.scopes.includes("read");
}

/** Whether there is a log-in to end. */
export function isLoggedIn(standing: Standing | null): boolean {
  return standing !== null && standing.key_id !== null;
}

/** What a refused log-in says, from the status and the problem's own words. */
export function refusal(status: number, detail: string | undefined): string {
  const { wrong, silent } = t().logIn;
  return status === 401 ? wrong : (detail ?? silent);
}

/** Whether whoever looks may change what everyone sees, and see what may hold addresses. */
export function mayAdminister(standing: Standing | null): boolean {
  return standing?.scopes.includes("admin") ?? false;
}
