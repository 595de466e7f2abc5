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

  asked: {
    noAnswer: "Der Server hat nicht geantwortet.",
    again: "Noch einmal versuchen",
  },

  explore: {
    kindsLabel: "Frage",
    kinds: { funnel: "Trichter", retention: "Wiederkehr", paths: "Wege" },
    period: "Zeitraum",
    periods: { "7": "7 Tage", "30": "30 Tage", "90": "90 Tage", custom: "Eigene Daten" },
    from: "Von",
    to: "Bis",
    chooseDates: "Wählen Sie den ersten und den letzten Tag.",
    event: "Ereignis",
    funnel: {
      title: "Wer von Schritt zu Schritt geht",
      by: "Gezählt werden",
      bySession: "Sitzungen",
      byVisitor: "Besucher",
      sessions: "Sitzungen",
      visitors: "Besucher",
      within: "Zeitgrenze",
      limits: {
        "": "Keine",
        "10m": "10 Minuten",
        "30m": "30 Minuten",
        "1h": "1 Stunde",
        "1d": "1 Tag",
        "7d": "7 Tage",
      },
      hint: "Klicken Sie mindestens zwei Seiten oder Ereignisse an, in der Reihenfolge, in der man zu ihnen kommen soll.",
      nobody: (entered, names) =>
        `Niemand kam zum ersten Schritt, von insgesamt ${entered} ${dative(names)}.`,
      lead: (last, first, share, names) =>
        `${last} von ${first} ${dative(names)} (${share}) kamen vom ersten Schritt bis zum letzten.`,
      median: (time) => `Die Hälfte davon brauchte weniger als ${time}.`,
      table: "Der Trichter, Schritt für Schritt",
      step: "Schritt",
      ofFirst: "Vom ersten",
      ofPrevious: "Vom vorigen",
      dropOff: "Hier verloren",
      time: "Zeit (Median)",
    },
    builder: {
      title: "Schritte",
      none: "Noch keine Schritte.",
      oneMore: "Mindestens noch ein Schritt.",
      clear: "Von vorn",
      own: "Pfad oder Muster, etwa /blog/*",
      add: "Hinzufügen",
      addStep: "Schritt hinzufügen:",
      pages: "Meistgesehene Seiten",
      events: "Eigene Ereignisse",
      nothing: "Keine Seiten in diesem Zeitraum.",
      up: (step) => `${step} nach oben`,
      down: (step) => `${step} nach unten`,
      remove: (step) => `${step} entfernen`,
    },
    retention: {
      title: "Wer wiederkommt",
      interval: "Nach",
      week: "Wochen",
      day: "Tagen",
      cohorts: { week: "Erster Besuch in der Woche vom", day: "Erster Besuch am" },
      visitors: "Besucher",
      later: { week: (n) => `Woche ${n}`, day: (n) => `Tag ${n}` },
      all: "Alle",
      table: "Anteil der Besucher, die wiederkamen, nach der Zeit ihres ersten Besuchs",
      cell: (came, all) => `${came} von ${all} kamen wieder`,
      nobody: "In diesem Zeitraum kam niemand zum ersten Mal.",
      notOver: "(noch nicht vorbei)",
      unfinished:
        "* Diese Zeit ist noch nicht vorbei; es können mehr werden. Die letzte Zeile zählt nur, was vorbei ist.",
    },
    paths: {
      title: "Wohin man geht",
      page: "Startseite",
      anyPage: "Erste Seite jeder Sitzung",
      direction: "Seiten",
      next: "Danach",
      previous: "Davor",
      depth: "Schritte",
      lead: {
        next: (sessions, page) =>
          page ? `${sessions} Sitzungen sahen ${page}.` : `${sessions} Sitzungen ab ihrem Anfang.`,
        previous: (sessions, page) =>
          page
            ? `${sessions} Sitzungen sahen ${page}.`
            : `${sessions} Sitzungen von ihrem Ende zurück.`,
      },
      nobody: "Keine Sitzung sah diese Seite in diesem Zeitraum.",
      diagram: "Schaubild der Wege; die Tabelle darunter sagt dasselbe",
      table: "Von Seite zu Seite",
      step: "Schritt",
      from: "Von",
      to: "Nach",
      sessions: "Sitzungen",
      share: "Von allen",
      others: "Andere Seiten",
      left: "Verlassen",
      began: "Hier begonnen",
      startHere: "Die Wege hier beginnen",
    },
  },

  pipeline: {},

  firstRun: {},
};

/** „von 3 Besuchern“, „von 3 Sitzungen“. */
function dative(names: string): string {
  return names.endsWith("n") ? names : `${names}n`;
}
