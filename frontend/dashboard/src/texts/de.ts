// Alles, was das Dashboard auf Deutsch sagt.
import type { Texts } from "./en";

export const de: Texts = {
  pages: {
    live: "Live",
    history: "Verlauf",
    explore: "Auswertung",
    pipeline: "Pipeline",
    loading: "Lädt …",
  },

  header: {
    navigation: "Seiten",
  },

  live: {},

  session: {},

  history: {},

  explore: {},

  pipeline: {},

  firstRun: {},
};
