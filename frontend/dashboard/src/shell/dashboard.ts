// Holds the model, and connects it to the feed, the history, the address bar and the clock.
import { fetchStanding, logIn, logOut } from "./access";
import * as address from "./address";
import {
  fetchLedger,
  fetchSession,
  fetchSessions,
  fetchStats,
  RequestFailed,
  whenLockedOut,
  type SessionPage,
} from "./http";
import {
  readPreferences,
  showLanguage,
  showTheme,
  writePreferences,
  type Preferences,
} from "./preferences";
import { afterPaint, Renderer } from "./renderer";
import { focusRow } from "./rows";
import { Timer } from "./timer";
import { Feed } from "./socket";
import { wayOf, type Way } from "../core/delay";
import { timeZone } from "../core/format";
import { isFiltering, NO_FILTERS, toggled, type FilterName, type Filters } from "../core/filters";
import { FIRST_ROWS, INITIAL, MORE_ROWS, serverTime, type Model } from "../core/model";
import { neighbour } from "../core/order";
import type { Page } from "../core/route";
import { EVERYTHING, narrowed } from "../core/subscription";
import { arranged } from "../core/rows";
import * as next from "../core/transitions";
import type { Recovered, ServerMessage, Update } from "../contracts.gen";

const TICK_MS = 1_000;
const STATS_MS = 30_000;
const LEDGER_MS = 10_000;
const DETAIL_PAUSE_MS = 400;
const TYPING_MS = 300;
/** Of a thousand sessions each; more than these make no difference on a map. */
const PRESENT_PAGES = 4;

export class Dashboard {
  model: Model;
  private readonly renderer: Renderer;
  private feed: Feed | null = null;
  /** Of the newest response that is not painted yet. */
  private way: Way | null = null;
  private detailTimer = 0;
  private question = 0;
  /** A question for each letter that is typed would be too many. */
  private readonly earlierTimer = new Timer(() => void this.loadEarlier());

  constructor(draw: (dashboard: Dashboard) => void) {
    this.model = { ...INITIAL, filters: address.readFilters(), ...readPreferences() };
    this.renderer = new Renderer(() => {
      const now = this.now();
      this.model = arranged(next.withoutPastEffects(this.model, now), now);
      draw(this);
      this.measureDelay();
    });
  }

  /** The server's clock. */
  now(): number {
    return serverTime(this.model, Date.now());
  }

  start(): void {
    showTheme(this.model.theme);
    showLanguage(this.model.language);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.feed = new Feed(`${scheme}://${location.host}/api/v1/live?hello`, {
      message: (message) => this.take(message),
      waiting: () => this.change((model) => next.withLink(model, { phase: "waiting" })),
      connecting: () => this.change((model) => next.withLink(model, { phase: "connecting" })),
    });
    this.feed.open();
    window.addEventListener("popstate", () => this.followAddress());
    window.setInterval(() => this.renderer.soon(), TICK_MS);
    window.setInterval(() => void this.loadStats(), STATS_MS);
    window.setInterval(() => void this.loadLedger(), LEDGER_MS);
    whenLockedOut(() => void this.loadStanding());
    this.followAddress();
    void this.loadStanding();
    void this.loadStats();
    void this.loadLedger();
  }

  /** Null when it worked, else what to tell. */
  async logIn(key: string): Promise<string | null> {
    const fault = await logIn(key);
    if (fault === null) location.reload();
    return fault;
  }

  async logOut(): Promise<void> {
    await logOut();
    location.reload();
  }

  private async loadStanding(): Promise<void> {
    const standing = await fetchStanding().catch(() => null);
    if (standing) this.change((model) => ({ ...model, standing }));
  }

  change(step: (model: Model) => Model): void {
    this.model = step(this.model);
    this.renderer.now();
  }

  /** Remembered for the next drawing, but nothing to draw by itself. */
  note(part: Pick<Model, "pointed"> | Pick<Model, "focused">): void {
    this.model = { ...this.model, ...part };
  }

  private take(message: ServerMessage): void {
    this.model = next.received(this.model, message, Date.now());
    if (message.type === "update" || message.type === "recovered") this.heed(message);
    if (message.type === "snapshot") this.complete();
    this.narrow();
    this.renderer.soon();
  }

  private heed(message: Update | Recovered): void {
    if (this.model.paused) return;
    const way = message.type === "update" ? wayOf(message) : null;
    if (way && way.responded >= (this.way?.responded ?? 0)) this.way = way;
    const open = this.model.detail?.id;
    const session = message.sessions.find((each) => each.session_id === open);
    if (session?.merged_into) this.followMerge(session.session_id, session.merged_into);
    else if (session) this.refreshDetail();
  }

  /** Where more is going on than the page can hold, the server leaves out what is filtered away. */
  private narrow(): void {
    const { isCrowded, filters } = this.model;
    this.feed?.subscribe(isCrowded ? narrowed(filters) : EVERYTHING);
  }

  private measureDelay(): void {
    const { way } = this;
    if (way === null) return;
    this.way = null;
    afterPaint(() => {
      this.model = next.painted(this.model, way, Date.now());
    });
  }

  togglePause(): void {
    this.change((model) => next.togglePause(model, Date.now()));
    if (!this.model.paused) this.refreshDetail();
  }

  filter(part: Partial<Filters>): void {
    this.change((model) => next.withFilters(model, { ...model.filters, ...part }));
    address.writeFilters(this.model.filters);
    this.narrow();
    this.earlierTimer.restart(part.q === undefined ? 0 : TYPING_MS);
  }

  clearFilters(): void {
    this.filter(NO_FILTERS);
  }

  /** Takes the place of its opposite; the same again takes it back. */
  toggleFilter(name: FilterName, value: string): void {
    this.filter(toggled(this.model.filters, name, value));
  }

  prefer(part: Partial<Preferences>): void {
    this.change((model) => ({ ...model, ...part }));
    const { theme, language, zone, range } = this.model;
    writePreferences({ theme, language, zone, range });
    showTheme(theme);
    showLanguage(language);
    if (part.range || part.zone) void this.loadStats();
  }

  showHelp(help: boolean): void {
    this.change((model) => ({ ...model, help }));
  }

  /** Moves the focus along the rows, or the drawer to the next session when it is open. */
  move(step: 1 | -1): void {
    if (this.model.help || this.model.place.page !== "live") return;
    const current = this.model.detail?.id ?? this.model.focused ?? this.model.pointed;
    const id = neighbour(this.model.shown, current, step);
    if (id === null) return;
    if (this.model.detail) this.openSession(id);
    else focusRow(id, this.model.shown.indexOf(id));
  }

  openSession(id: string | null): void {
    address.writeRoute({ ...address.readRoute(), session: id });
    this.followAddress();
  }

  go(page: Page, part = ""): void {
    address.writeRoute({ page, part, session: null });
    this.followAddress();
  }

  private followAddress(): void {
    const { page, part, session: id } = address.readRoute();
    this.model = { ...this.model, place: { page, part } };
    if (id === (this.model.detail?.id ?? null)) return this.renderer.now();
    this.change((model) => ({
      ...model,
      detail: id === null ? null : next.openedDetail(model, id),
    }));
    if (id !== null) void this.loadDetail(id);
  }

  /** The session that is open has become part of another: show that one. */
  private followMerge(from: string, into: string): void {
    if (address.readRoute().session !== from) return;
    address.replaceSession(into);
    this.followAddress();
  }

  /** An open session may change many times a second; its events are asked for less often. */
  private refreshDetail(): void {
    if (this.detailTimer) return;
    this.detailTimer = window.setTimeout(() => {
      this.detailTimer = 0;
      if (this.model.detail) void this.loadDetail(this.model.detail.id);
    }, DETAIL_PAUSE_MS);
  }

  private async loadDetail(id: string): Promise<void> {
    try {
      const answer = await fetchSession(id);
      const found = answer.session.session_id;
      if (found !== id) return this.followMerge(id, found);
      this.change((model) => next.withDetail(model, id, answer));
    } catch (error) {
      const isMissing = error instanceof RequestFailed && error.status === 404;
      this.change((model) => next.withoutDetail(model, id, isMissing ? "missing" : "failed"));
    }
  }

  showMore(): void {
    this.change((model) => ({ ...model, rowLimit: model.rowLimit + MORE_ROWS }));
    if (this.model.matching < this.model.rowLimit) void this.loadEarlier();
  }

  /** A snapshot holds the newest sessions only, and none while Kafka is away: ask for the rest. */
  private complete(): void {
    const { live, filters } = this.model;
    void this.loadPresent();
    if (live.book.size < FIRST_ROWS || isFiltering(filters)) void this.loadEarlier();
  }

  /** The map needs everyone who is here, not only those who came last. */
  private async loadPresent(): Promise<void> {
    const wanted = this.model.isCrowded ? this.model.filters : NO_FILTERS;
    const open: Filters = { ...wanted, status: ["open"] };
    let cursor: string | null = null;
    for (let page = 0; page < PRESENT_PAGES; page++) {
      if (!next.lacksPresent(this.model, this.now())) return;
      const answer: SessionPage | null = await fetchSessions(open, cursor, 1_000).catch(() => null);
      if (!answer) return;
      this.change((model) => next.withHistory(model, answer.items));
      cursor = answer.next_cursor;
      if (cursor === null) return;
    }
  }

  /** The next page of the history under the present filters; an outdated answer is dropped. */
  private async loadEarlier(): Promise<void> {
    const question = ++this.question;
    const { filters, earlier } = this.model;
    if (!next.asksHistory(filters)) return;
    this.change((model) => ({ ...model, earlier: { ...earlier, state: "loading" } }));
    try {
      const page = await fetchSessions(filters, earlier.cursor, MORE_ROWS);
      if (question !== this.question) return;
      this.change((model) => next.withEarlier(model, page.items, page.next_cursor));
    } catch {
      if (question !== this.question) return;
      this.change((model) => ({ ...model, earlier: { ...earlier, state: "failed" } }));
    }
  }

  private async loadStats(): Promise<void> {
    const { range, zone } = this.model;
    const stats = await fetchStats(range, this.now(), timeZone(zone)).catch(() => null);
    const isWanted = range === this.model.range && zone === this.model.zone;
    if (stats && isWanted) this.change((model) => ({ ...model, stats }));
  }

  /** Kept as it was when the history does not answer: the badge tells of that. */
  private async loadLedger(): Promise<void> {
    const ledger = await fetchLedger().catch(() => null);
    if (ledger) this.change((model) => ({ ...model, ledger }));
  }
}
