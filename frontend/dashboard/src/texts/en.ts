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

  explore: {},

  pipeline: {},

  firstRun: {},
};

export type Texts = typeof en;
