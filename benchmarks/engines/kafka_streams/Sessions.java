/*
 * Kafka Streams' SessionWindows: events, entry and exit page by key, RocksDB store, uncached, two
 * threads.
 *
 * Its table of sessions is updated with every event, so open sessions are there to be read.
 * Does not: survive a lost disk (no changelog topic here), close or name a session's end by itself,
 * report late events, look up addresses, write anything.
 */
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BinaryOperator;
import java.util.zip.CRC32;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.Stores;

public class Sessions {
  static final ObjectMapper JSON = new ObjectMapper();
  /** Sessions are kept so long that none expires before it is counted. */
  static final Duration KEPT = Duration.ofDays(30);

  /** What pages are made of. A watermark record has no id. */
  record Event(long time, String id, boolean isPage, String path) {
    static final Comparator<Event> BY_TIME =
        Comparator.comparingLong(Event::time).thenComparing(Event::id);
    /** The entry page is the least: other requests come after all pages. */
    static final Comparator<Event> AS_ENTRY =
        Comparator.comparing((Event event) -> !event.isPage()).thenComparing(BY_TIME);
    /** The exit page is the greatest: other requests come before all pages. */
    static final Comparator<Event> AS_EXIT =
        Comparator.comparing(Event::isPage).thenComparing(BY_TIME);

    static Event read(byte[] value) {
      try {
        JsonNode event = JSON.readTree(value);
        return new Event(
            event.path("event_time").asLong(),
            event.path("event_id").asText(),
            event.path("kind").asText().equals("page"),
            event.path("path").asText());
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    void write(DataOutputStream out) throws IOException {
      out.writeLong(time);
      out.writeUTF(id);
      out.writeBoolean(isPage);
      out.writeUTF(path);
    }

    static Event read(DataInputStream in) throws IOException {
      return new Event(in.readLong(), in.readUTF(), in.readBoolean(), in.readUTF());
    }
  }

  /** A session as it is stored. Without events it has no pages. */
  record Visit(long events, Event entry, Event exit) {
    static final Visit NONE = new Visit(0, null, null);

    static Visit of(Event event) {
      return new Visit(1, event, event);
    }

    Visit joined(Visit other) {
      if (events == 0) return other;
      if (other.events == 0) return this;
      return new Visit(
          events + other.events,
          BinaryOperator.minBy(Event.AS_ENTRY).apply(entry, other.entry),
          BinaryOperator.maxBy(Event.AS_EXIT).apply(exit, other.exit));
    }

    byte[] bytes() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        out.writeLong(events);
        entry.write(out);
        exit.write(out);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
      return bytes.toByteArray();
    }

    static Visit read(byte[] bytes) {
      try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
        return new Visit(in.readLong(), Event.read(in), Event.read(in));
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  }

  static final Serde<Visit> VISITS = Serdes.serdeFrom(
      (topic, visit) -> visit == null ? null : visit.bytes(),
      (topic, bytes) -> bytes == null ? null : Visit.read(bytes));
  /** Events are read from the topic and never written: their key stays, so they go nowhere. */
  static final Serde<Event> EVENTS = Serdes.serdeFrom(
      (topic, event) -> {
        throw new UnsupportedOperationException();
      },
      (topic, value) -> Event.read(value));

  public static void main(String[] arguments) throws Exception {
    JsonNode task = JSON.readTree(arguments[0]);
    AtomicLong read = new AtomicLong();
    AtomicLong first = new AtomicLong();
    CountDownLatch done = new CountDownLatch(1);
    long records = task.get("records").asLong();

    // The key is site and visitor. Records without one (watermarks) are only counted.
    StreamsBuilder builder = new StreamsBuilder();
    builder
        .stream(
            task.get("topic").asText(),
            Consumed.with(Serdes.String(), EVENTS)
                .withTimestampExtractor((record, before) ->
                    record.key() == null ? Math.max(0, before) : ((Event) record.value()).time()))
        .peek((key, value) -> {
          first.compareAndSet(0, System.currentTimeMillis());
          if (key == null && read.incrementAndGet() == records) done.countDown();
        })
        .filter((key, value) -> key != null)
        .groupByKey(Grouped.with(Serdes.String(), EVENTS))
        .windowedBy(SessionWindows.ofInactivityGapAndGrace(
            Duration.ofMillis(task.get("gap_ms").asLong()),
            Duration.ofMillis(task.get("delay_ms").asLong())))
        .aggregate(
            () -> Visit.NONE,
            (key, event, visit) -> visit.joined(Visit.of(event)),
            (key, one, other) -> one.joined(other),
            Materialized.<String, Visit>as(Stores.persistentSessionStore("sessions", KEPT))
                .withKeySerde(Serdes.String())
                .withValueSerde(VISITS)
                .withCachingDisabled()
                .withLoggingDisabled())
        .toStream()
        // A merged session is first removed: a tombstone, which is no event.
        .foreach((key, visit) -> {
          if (visit != null && read.incrementAndGet() == records) done.countDown();
        });

    KafkaStreams streams = new KafkaStreams(builder.build(), settings(task));
    streams.start();
    if (!done.await(20, TimeUnit.MINUTES)) throw new IllegalStateException("read only " + read.get());
    long end = System.currentTimeMillis();
    long[] found = count(streams);
    System.out.printf(
        "%n{\"first\": %.3f, \"done\": %.3f, \"sessions\": %d, \"events\": %d, \"checksum\": %d}%n",
        first.get() / 1000.0, end / 1000.0, found[0], found[1], found[2]);
    streams.close(Duration.ofSeconds(10));
  }

  static Properties settings(JsonNode task) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "peer-" + ProcessHandle.current().pid());
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, task.get("bootstrap").asText());
    settings.put(StreamsConfig.STATE_DIR_CONFIG, task.get("folder").asText());
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
    settings.put("auto.offset.reset", "earliest");
    settings.put("max.poll.records", 10_000);
    return settings;
  }

  /** Sessions, events and checksum of what is in the store. */
  static long[] count(KafkaStreams streams) {
    var store = streams.store(
        StoreQueryParameters.fromNameAndType("sessions", QueryableStoreTypes.<String, Visit>sessionStore()));
    long sessions = 0, events = 0, checksum = 0;
    try (var all = store.fetch(null, null)) {
      while (all.hasNext()) {
        var next = all.next();
        sessions++;
        events += next.value.events();
        checksum += checksum(next.key.key(), next.value);
      }
    }
    return new long[] {sessions, events, checksum & 0xFFFFFFFFL};
  }

  /** Of visitor, number of events, entry and exit page, and no country. */
  static long checksum(String key, Visit visit) {
    String visitor = key.substring(key.lastIndexOf('/') + 1);
    String text = String.join("|",
        visitor, Long.toString(visit.events()), visit.entry().path(), visit.exit().path(), "");
    CRC32 checksum = new CRC32();
    checksum.update(text.getBytes(StandardCharsets.UTF_8));
    return checksum.getValue();
  }
}
