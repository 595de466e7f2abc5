import { Snippet } from "./snippet";

const MIDDLEWARE = `from interceptor import ClickwakeMiddleware

app.add_middleware(ClickwakeMiddleware, site_id="shop")`;

/** Nothing has ever happened: say how to begin. */
export function EmptyState() {
  return (
    <div class="empty">
      <h3>No visitors yet</h3>
      <p>
        Put the middleware in front of your site. Every page and API request then shows up here,
        within a second.
      </p>
      <Snippet text={MIDDLEWARE} what="the middleware" />
      <p>
        Only want to look? In a terminal, this runs the demo shop with sample visitors from all over
        the world:
      </p>
      <Snippet text="./clickwake demo" what="the demo's command" />
      <p>The demo runs already, without visitors? This sends some:</p>
      <Snippet text="./clickwake traffic" what="the visitors' command" />
    </div>
  );
}
