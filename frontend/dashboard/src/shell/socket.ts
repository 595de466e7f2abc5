// The live feed's connection: opens, watches, and opens again.
import { retryDelay, STALE_AFTER_MS } from "../core/connection";
import { heard, hello, NO_LINE, redialled, resubscribed } from "../core/feed";
import { EVERYTHING, isSame } from "../core/subscription";
import type { ClientMessage, ServerMessage, Subscription } from "../contracts.gen";

const PING_MS = 10_000;
const FIRST_PINGS_MS = [0, 300, 900];

export interface FeedListener {
  message(message: ServerMessage): void;
  waiting(): void;
  connecting(): void;
}

export class Feed {
  private socket: WebSocket | null = null;
  private line = NO_LINE;
  private subscription = EVERYTHING;
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
    socket.onopen = () => {
      this.line = redialled(this.line);
      this.send(hello(this.line, this.subscription));
      this.startPings();
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      if (socket === this.socket) this.take(JSON.parse(event.data));
    };
    socket.onclose = () => this.reopen(socket);
    this.listenForSilence();
  }

  /** From now on wants this; a snapshot of it follows. */
  subscribe(subscription: Subscription): void {
    if (isSame(subscription, this.subscription)) return;
    this.subscription = subscription;
    this.line = resubscribed(this.line);
    this.send({ type: "subscribe", subscription });
  }

  private take(message: ServerMessage): void {
    const line = heard(this.line, message);
    if (line === null) return this.restart();
    this.line = line;
    // A server that greets and hangs up has not recovered yet.
    if (message.type === "update" || message.type === "heartbeat") this.attempt = 0;
    this.listenForSilence();
    this.listener.message(message);
  }

  /** Something was missed: a new connection goes on where this one still knew everything. */
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
    const wait = retryDelay(this.attempt++, Math.random());
    window.setTimeout(() => this.open(), this.line.retryMs ?? wait);
  }

  private startPings(): void {
    this.pings = FIRST_PINGS_MS.map((after) => window.setTimeout(() => this.ping(), after));
    this.pings.push(window.setInterval(() => this.ping(), PING_MS));
  }

  private ping(): void {
    this.send({ type: "ping", sent: Date.now() });
  }

  private send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
