// What a connection to the live feed has heard, and how it goes on where it was.
import type { Hello, ServerMessage, Subscription } from "../contracts.gen";

export interface Line {
  /** The number of the connection's last message. */
  readonly sequence: number;
  /** How far the server's stream is known, over all connections; null before the first message. */
  readonly position: string | null;
  /** How long the server asked to wait before the next connection. */
  readonly retryMs: number | null;
}

export const NO_LINE: Line = { sequence: 0, position: null, retryMs: null };

/**
 * The line after `message`, or null when something between was missed: then a new connection
 * makes the picture whole again. Pongs and goodbyes stand outside the sequence.
 */
export function heard(line: Line, message: ServerMessage): Line | null {
  if (message.type === "pong") return line;
  if (message.type === "goodbye") return { ...line, retryMs: message.retry_ms };
  const begins = message.type === "snapshot" || message.type === "recovered";
  if (!begins && message.sequence !== line.sequence + 1) return null;
  return { sequence: message.sequence, position: message.position, retryMs: null };
}

/** The first message of the next connection. */
export function hello(line: Line, subscription: Subscription): Hello {
  return { type: "hello", key: null, ticket: null, subscription, resume: line.position };
}

/** The line after another subscription: a position holds for the one that it came with. */
export function resubscribed(line: Line): Line {
  return { ...line, position: null };
}

/** The next connection counts anew, and knows what this one knew. */
export function redialled(line: Line): Line {
  return { ...line, sequence: 0, retryMs: null };
}
