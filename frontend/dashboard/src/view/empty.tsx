const SNIPPET = `from interceptor import ClickwakeMiddleware

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
      <pre tabIndex={0}>
        <code>{SNIPPET}</code>
      </pre>
      <p>Only want to look? Start the demo shop with sample visitors from all over the world:</p>
      <pre tabIndex={0}>
        <code>./clickwake demo</code>
      </pre>
    </div>
  );
}
