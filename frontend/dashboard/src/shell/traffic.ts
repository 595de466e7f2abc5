// The demo's sample visitors. Only a stack that runs as the demo has their control.
const TRAFFIC = "/api/v1/demo/traffic";

/** Whether there is a control to press. */
export async function hasTraffic(): Promise<boolean> {
  const answer = await fetch(TRAFFIC, { headers: { accept: "application/json" } }).catch(
    () => null,
  );
  return answer?.ok ?? false;
}

/** Whether the visitors have been sent on their way. */
export async function startTraffic(): Promise<boolean> {
  const answer = await fetch(TRAFFIC, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ running: true }),
  }).catch(() => null);
  return answer?.ok ?? false;
}
