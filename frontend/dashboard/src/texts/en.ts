// Everything the dashboard says in English. A language is one file of this shape.
// Values: plain sentences, or functions of what they tell about; numbers and dates come formatted.

export const en = {
  pages: {
    live: "Live",
    history: "History",
    explore: "Explore",
    pipeline: "Pipeline",
    loading: "Loading …",
  },

  header: {
    navigation: "Pages",
  },

  live: {},

  session: {},

  history: {},

  asked: {
    noAnswer: "The server did not answer.",
    again: "Try again",
  },

  explore: {
    kindsLabel: "Question",
    kinds: { funnel: "Funnel", retention: "Retention", paths: "Paths" },
    period: "Period",
    periods: { "7": "7 days", "30": "30 days", "90": "90 days", custom: "Own dates" },
    from: "From",
    to: "To",
    chooseDates: "Choose the first and the last day.",
    event: "event",
    funnel: {
      title: "Who goes from step to step",
      by: "Counted",
      bySession: "Sessions",
      byVisitor: "Visitors",
      sessions: "Sessions",
      visitors: "Visitors",
      within: "Time limit",
      limits: {
        "": "None",
        "10m": "10 minutes",
        "30m": "30 minutes",
        "1h": "1 hour",
        "1d": "1 day",
        "7d": "7 days",
      },
      hint: "Click at least two pages or events, in the order in which people should come to them.",
      nobody: (entered: string, names: string) =>
        `Nobody came to the first step, of ${entered} ${names.toLowerCase()} in all.`,
      lead: (last: string, first: string, share: string, names: string) =>
        `${last} of ${first} ${names.toLowerCase()} (${share}) came from the first step to the last.`,
      median: (time: string) => `Half of them took less than ${time}.`,
      table: "Funnel, step by step",
      step: "Step",
      ofFirst: "Of the first",
      ofPrevious: "Of the one before",
      dropOff: "Lost here",
      time: "Median time",
    },
    builder: {
      title: "Steps",
      none: "No steps yet.",
      oneMore: "One more step at least.",
      clear: "Start over",
      own: "Path or pattern, as /blog/*",
      add: "Add",
      addStep: "Add step:",
      pages: "Most viewed pages",
      events: "Custom events",
      nothing: "No pages in this period.",
      up: (step: string) => `Move ${step} up`,
      down: (step: string) => `Move ${step} down`,
      remove: (step: string) => `Remove ${step}`,
    },
    retention: {
      title: "Who comes back",
      interval: "By",
      week: "Week",
      day: "Day",
      cohorts: { week: "First visit in the week of", day: "First visit on" },
      visitors: "Visitors",
      later: { week: (n: number) => `Week ${n}`, day: (n: number) => `Day ${n}` },
      all: "All",
      table: "Share of visitors who came again, by the time of their first visit",
      cell: (came: string, all: string) => `${came} of ${all} came again`,
      nobody: "Nobody came for the first time in this period.",
      notOver: "(not over yet)",
      unfinished: "* This time is not over yet; more may come. The last line counts only what is.",
    },
    paths: {
      title: "Where people go",
      page: "Start page",
      anyPage: "First page of each session",
      direction: "Pages",
      next: "After it",
      previous: "Before it",
      depth: "Steps",
      lead: {
        next: (sessions: string, page: string) =>
          page
            ? `${sessions} sessions saw ${page}.`
            : `${sessions} sessions, from where they began.`,
        previous: (sessions: string, page: string) =>
          page ? `${sessions} sessions saw ${page}.` : `${sessions} sessions, back from their end.`,
      },
      nobody: "No session saw this page in this period.",
      diagram: "Diagram of the paths; the table below says the same",
      table: "From page to page",
      step: "Step",
      from: "From",
      to: "To",
      sessions: "Sessions",
      share: "Of all",
      others: "Other pages",
      left: "Left",
      began: "Began here",
      startHere: "Start the paths here",
    },
  },

  pipeline: {},

  firstRun: {},
};

export type Texts = typeof en;
