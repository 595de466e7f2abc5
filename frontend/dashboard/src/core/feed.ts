// Whether a message is the next one of its connection.
import type { ServerMessage } from "../contracts.gen";

/**
 * The connection's sequence after `message`, or null when something between was missed: then
 * only a new snapshot makes the picture whole again. Pongs stand outside the sequence.
 */
export function nextSequence(previous: number, message: ServerMessage): number | null {
  if (message.type === "pong") return previous;
  if (message.type === "snapshot") return message.sequence;
  return message.sequence === previous + 1 ? message.sequence : null;
}
