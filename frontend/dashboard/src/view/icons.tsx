// Line icons on a 16 × 16 grid. They repeat what text says, so screen readers skip them.
const PATHS = {
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.2v9.6l7.6-4.8z",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M3 13l1.2-1.2M11.8 4.2 13 3",
  moon: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
  half: "M8 2.2a5.8 5.8 0 1 0 0 11.6zM8 2.2a5.8 5.8 0 0 1 0 11.6",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3.5v9M3.5 8h9",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4 4.2 4.2 0 0 0 0-8.4zM10.2 10.2 13.5 13.5",
  desktop: "M2 3h12v8H2zM6 13.5h4M8 11v2.5",
  mobile: "M5 1.8h6v12.4H5zM7.4 12h1.2",
  tablet: "M3.2 2h9.6v12H3.2zM7.2 12h1.6",
  bot: "M3 6h10v7H3zM8 3v3M6 9v1M10 9v1M1.5 8.5v2M14.5 8.5v2",
  unknown: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6.9v.4M8 11.6v.2",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
  before: "M9.8 3.5 5.3 8l4.5 4.5",
  after: "M6.2 3.5 10.7 8l-4.5 4.5",
  pin: "M4.5 14V2.5M4.5 3h7.5l-1.8 2.7 1.8 2.7H4.5",
  copy: "M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3",
  arrow: "M3 8h9M8.5 4.5 12 8l-3.5 3.5",
  merge: "M4 2.5v3c0 2 4 2.5 4 4.5v3.5M12 2.5v3c0 2-4 2.5-4 4.5M5.8 11.5 8 13.7l2.2-2.2",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function deviceIcon(device: string): IconName {
  return device in PATHS ? (device as IconName) : "unknown";
}

/** The mark: what a hull leaves on still water. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <circle cx="9" cy="16" r="2.6" />
      <path d="M14 11.2c2.6 2.6 2.6 7 0 9.600M18.400 8.400c4.200 4.200 4.200 11 0 15.200M22.800 5.800c5.600 5.600 5.600 14.800 0 20.400" />
    </svg>
  );
}
