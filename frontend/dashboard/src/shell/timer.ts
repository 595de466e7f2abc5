// Calls back once after a while; starting it again begins the while anew.
export class Timer {
  private handle = 0;

  constructor(private readonly callback: () => void) {}

  restart(ms: number): void {
    window.clearTimeout(this.handle);
    this.handle = window.setTimeout(this.callback, ms);
  }
}
