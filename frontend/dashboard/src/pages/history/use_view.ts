import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { instantsOf, isTimeZone } from "../../core/calendar";
import { timeZone } from "../../core/format";
import type { Scope } from "../../core/history_query";
import type { View } from "../../core/history_view";
import { daysOf } from "../../core/period";
import * as address from "../../shell/address";
import type { Dashboard } from "../../shell/dashboard";

/** The view that the address has, and how to change it: the address follows. */
export function useView(dashboard: Dashboard): [View, (part: Partial<View>) => void] {
  const [view, show] = useState(address.readView);
  const zone = timeZone(dashboard.model.zone);
  useEffect(() => {
    const told = address.readZone();
    if (isTimeZone(told) && told !== zone) {
      dashboard.change((model) => ({ ...model, zone: told === "UTC" ? "utc" : told }));
    }
    const follow = () => show(address.readView());
    window.addEventListener("popstate", follow);
    return () => window.removeEventListener("popstate", follow);
  }, []);
  const isSettled = useRef(false);
  useEffect(() => {
    if (isSettled.current) address.writeView(view, zone);
    isSettled.current = true;
  }, [zone]);
  const change = (part: Partial<View>) => {
    const next = { ...view, ...part };
    show(next);
    address.writeView(next, zone);
  };
  return [view, change];
}

/** Whose sessions the page is about; the same value as long as nothing of it changes. */
export function useScope(dashboard: Dashboard, view: View): Scope {
  const { filters, zone } = dashboard.model;
  const name = timeZone(zone);
  const { first, last } = daysOf(view.period, dashboard.now(), name);
  return useMemo(
    () => ({
      filters,
      withBots: view.withBots,
      instants: instantsOf({ first, last }, name),
      timeZone: name,
    }),
    [filters, view.withBots, first, last, name],
  );
}
