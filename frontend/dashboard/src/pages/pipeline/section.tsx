import type { ComponentChildren } from "preact";

interface Props {
  readonly id: string;
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A panel with its heading. */
export function Section({ id, title, aside, children }: Props) {
  return (
    <section class="panel" aria-labelledby={`${id}-title`} data-testid={id}>
      <div class="panel-head">
        <h3 id={`${id}-title`} class="panel-title">
          {title}
        </h3>
        {aside}
      </div>
      {children}
    </section>
  );
}

interface TableProps {
  readonly caption: string;
  /** Names of the columns; those that begin with "#" hold numbers. */
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
  readonly testId?: string;
}

/** A table that scrolls by itself where it is wider or longer than its place. */
export function Table({ caption, heads, children, testId }: TableProps) {
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={caption}>
      <table class="data-table" data-testid={testId}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" class={head.startsWith("#") ? "number" : undefined}>
                {head.replace(/^#/, "")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
