// The live feed's connection: opens, watches, and opens again.
import { retryDelay, STALE_AFTER_MS } from "../core/connection";
import { nextSequence } from "../core/feed";
import type { Ping, ServerMessage } from "../contracts.gen";

const PING_MS = 10_000;
const FIRST_PINGS_MS = [0, 300, 900];

export interface FeedListener {
  message(message: ServerMessage): void;
  waiting(): void;
  connecting(): void;
}

export class Feed {
  private socket: WebSocket | null = null;
  private sequence = 0;
  private attempt = 0;
  private silence = 0;
  private pings: number[] = [];

  constructor(
    private readonly url: string,
    private readonly listener: FeedListener,
  ) {}

  open(): void {
    this.listener.connecting();
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => this.startPings();
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket === this.socket) this.take(JSON.parse(event.data));
    };
    socket.onclose = () => this.reopen(socket);
    this.listenForSilence();
  }

  private take(message: ServerMessage): void {
    const sequence = nextSequence(this.sequence, message);
    if (sequence === null) return this.restart();
    this.sequence = sequence;
    // A server that greets and hangs up has not recovered yet.
    if (message.type === "update" || message.type === "heartbeat") this.attempt = 0;
    this.listenForSilence();
    this.listener.message(message);
  }

  /** Something was missed: only a new snapshot makes the picture whole. */
  private restart(): void {
    const socket = this.socket;
    socket?.close();
    if (socket) this.reopen(socket);
  }

  /** A socket may die without a close event for minutes, so silence counts as one. */
  private listenForSilence(): void {
    clearTimeout(this.silence);
    this.silence = window.setTimeout(() => this.restart(), STALE_AFTER_MS);
  }

  private reopen(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    clearTimeout(this.silence);
    this.pings.forEach((timer) => clearTimeout(timer));
    this.listener.waiting();
    window.setTimeout(() => this.open(), retryDelay(this.attempt++, Math.random()));
  }

  private startPings(): void {
    this.pings = FIRST_PINGS_MS.map((after) => window.setTimeout(() => this.ping(), after));
    this.pings.push(window.setInterval(() => this.ping(), PING_MS));
  }

  private ping(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const ping: Ping = { type: "ping", sent: Date.now() };
    this.socket.send(JSON.stringify(ping));
  }
}
