/*
 * Kafka Streams' SessionWindows: count by key, RocksDB store, uncached, two threads.
 *
 * Its table of sessions is updated with every event, so open sessions are there to be read.
 * Does not: survive a lost disk (no changelog topic here), close or name a session's end by itself,
 * name entry or exit pages, report late events, look up addresses, write anything.
 */
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.serialization.Deserializer;
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

  public static void main(String[] arguments) throws Exception {
    JsonNode task = JSON.readTree(arguments[0]);
    AtomicLong read = new AtomicLong();
    AtomicLong first = new AtomicLong();
    CountDownLatch done = new CountDownLatch(1);
    long records = task.get("records").asLong();

    // The key is site and visitor. Records without one (watermarks) are only counted.
    Deserializer<Long> time = (topic, value) -> eventTime(value);
    StreamsBuilder builder = new StreamsBuilder();
    builder
        .stream(
            task.get("topic").asText(),
            Consumed.with(Serdes.String(), Serdes.serdeFrom(new Serdes.LongSerde().serializer(), time))
                .withTimestampExtractor((record, before) ->
                    record.key() == null ? Math.max(0, before) : (Long) record.value()))
        .peek((key, value) -> {
          first.compareAndSet(0, System.currentTimeMillis());
          if (key == null && read.incrementAndGet() == records) done.countDown();
        })
        .filter((key, value) -> key != null)
        .groupByKey(Grouped.with(Serdes.String(), Serdes.Long()))
        .windowedBy(SessionWindows.ofInactivityGapAndGrace(
            Duration.ofMillis(task.get("gap_ms").asLong()),
            Duration.ofMillis(task.get("delay_ms").asLong())))
        .count(Materialized.<String, Long>as(Stores.persistentSessionStore("sessions", KEPT))
            .withKeySerde(Serdes.String())
            .withValueSerde(Serdes.Long())
            .withCachingDisabled()
            .withLoggingDisabled())
        .toStream()
        // A merged session is first removed: a tombstone, which is no event.
        .foreach((key, count) -> {
          if (count != null && read.incrementAndGet() == records) done.countDown();
        });

    KafkaStreams streams = new KafkaStreams(builder.build(), settings(task));
    streams.start();
    if (!done.await(20, TimeUnit.MINUTES)) throw new IllegalStateException("read only " + read.get());
    long end = System.currentTimeMillis();
    long[] found = count(streams);
    System.out.printf(
        "%n{\"first\": %.3f, \"done\": %.3f, \"sessions\": %d, \"events\": %d}%n",
        first.get() / 1000.0, end / 1000.0, found[0], found[1]);
    streams.close(Duration.ofSeconds(10));
  }

  static Long eventTime(byte[] value) {
    try {
      return JSON.readTree(value).path("event_time").asLong();
    } catch (java.io.IOException error) {
      throw new java.io.UncheckedIOException(error);
    }
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

  /** Sessions and events in the store. */
  static long[] count(KafkaStreams streams) {
    var store = streams.store(
        StoreQueryParameters.fromNameAndType("sessions", QueryableStoreTypes.<String, Long>sessionStore()));
    long sessions = 0, events = 0;
    try (var all = store.fetch(null, null)) {
      while (all.hasNext()) {
        sessions++;
        events += all.next().value;
      }
    }
    return new long[] {sessions, events};
  }
}
