// How dark a share is shaded, and which columns a retention grid has.
import type { Cohort } from "./explore_answers";

/** 0 for nothing, then five shades; half of all is the darkest, as more hardly ever return. */
export function shade(rate: number): 0 | 1 | 2 | 3 | 4 | 5 {
  if (rate <= 0) return 0;
  return Math.min(5, Math.max(1, Math.ceil(rate * 10))) as 1 | 2 | 3 | 4 | 5;
}

/** The numbers of the later intervals that any cohort has: 1, 2, … */
export function laterIntervals(cohorts: readonly Cohort[]): number[] {
  const most = Math.max(0, ...cohorts.flatMap((each) => each.returned.map((one) => one.number)));
  return Array.from({ length: most }, (_, index) => index + 1);
}

export interface Average {
  readonly number: number;
  /** Of the cohorts whose interval is over, weighed by their visitors; null when there is none. */
  readonly rate: number | null;
}

/** Of all cohorts together: who came back in each later interval that is over. */
export function averages(cohorts: readonly Cohort[]): Average[] {
  return laterIntervals(cohorts).map((number) => {
    let came = 0;
    let all = 0;
    for (const cohort of cohorts) {
      const one = cohort.returned.find((each) => each.number === number);
      if (!one?.complete) continue;
      came += one.visitors;
      all += cohort.visitors;
    }
    return { number, rate: all > 0 ? came / all : null };
  });
}
