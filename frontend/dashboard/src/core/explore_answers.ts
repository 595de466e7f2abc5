// What the statistics' addresses answer, as far as the explore page shows it (docs: /openapi.json).

export interface FunnelStep {
  readonly step: string;
  readonly count: number;
  readonly rate: number | null;
  readonly rate_from_previous: number | null;
  readonly median_from_previous_ms: number | null;
}

export interface FunnelAnswer {
  readonly by: "session" | "visitor";
  readonly current: {
    readonly entered: number;
    readonly steps: readonly FunnelStep[];
    readonly median_ms: number | null;
  };
}

export interface Cohort {
  readonly label: string;
  readonly visitors: number;
  readonly returned: readonly {
    readonly number: number;
    readonly visitors: number;
    readonly rate: number;
    readonly complete: boolean;
  }[];
}

export interface RetentionAnswer {
  readonly interval: "week" | "day";
  readonly cohorts: readonly Cohort[];
}

export interface PathsAnswer {
  readonly page: string | null;
  readonly direction: "next" | "previous";
  readonly sessions: number;
  readonly steps: readonly {
    readonly number: number;
    readonly pages: readonly { readonly path: string; readonly sessions: number }[];
    readonly others: number;
    readonly ended: number;
  }[];
  readonly links: readonly {
    readonly number: number;
    readonly source: string;
    readonly target: string | null;
    readonly sessions: number;
  }[];
}

export interface TopAnswer {
  readonly items: readonly {
    readonly value: string | null;
    readonly metrics: { readonly views: number };
  }[];
}

export interface NamesAnswer {
  readonly event_names: readonly { readonly name: string; readonly events: number }[];
}
