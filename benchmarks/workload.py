"""Made-up traffic with a known answer, written to a replay topic in event-time order."""

from concurrent.futures import ProcessPoolExecutor

import msgspec
import numpy as np
from kafka import KafkaProducer

from benchmarks.answer import Answer, Make, answer
from benchmarks.shapes import Drawn, Shape, access_log
from benchmarks.shapes import draw as draw_shape
from contracts import WATERMARK_END, WATERMARK_START, RequestEvent, WatermarkRecord, partition_key
from contracts.kafka import KafkaSettings

WATERMARK_EVERY_MS = 60_000
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/124.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile Safari",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
)


class Workload(msgspec.Struct, frozen=True):
    """``events`` requests of ``visitors`` visitors; ``seed`` makes it the same every time.

    ``hours`` is what their visits' beginnings are spread over. Without ``ends`` no last watermark
    record tells that all is over, so what the watermark does not close stays open.
    """

    events: int
    visitors: int
    seed: int = 7
    hours: float = 24
    shape: Shape = "even"
    ends: bool = True


def draw(workload: Workload) -> Drawn:
    """Its events in event-time order."""
    return draw_shape(
        workload.shape, workload.events, workload.visitors, workload.seed, workload.hours
    )


def maker(workload: Workload, drawn: Drawn) -> Make:
    """What makes its events by number. Of one visitor and time, ids are in the numbers' order."""
    visitors, times, asked = drawn

    def make(number: int) -> RequestEvent:
        visitor, time = int(visitors[number]), int(times[number])
        if workload.shape == "accesslog":
            return logged_event(number, visitor, time, int(asked[number]))
        return event_of(number, visitor, time)

    return make


def event_of(number: int, visitor: int, time: int) -> RequestEvent:
    """One plausible page view."""
    return RequestEvent(
        event_id=f"{time:012x}-{number:09x}",
        site_id="bench",
        visitor_id=f"{visitor:016x}",
        event_time=time,
        kind="page" if number % 5 else "api",
        method="GET",
        status=200,
        duration_ms=12.5,
        host="shop.example",
        path=f"/products/{(number * 7919) % 400}",
        referrer="https://shop.example/" if number % 3 else None,
        user_agent=AGENTS[visitor % len(AGENTS)],
        client_ip=f"{81 + visitor % 40}.{visitor // 256 % 256}.{visitor % 256}.9",
        headers={"accept-language": "en-GB,en;q=0.9"},
    )


def logged_event(number: int, visitor: int, time: int, asked: int) -> RequestEvent:
    """A line of the access log, as the interceptor would have seen it."""
    line = access_log()[asked]
    return RequestEvent(
        event_id=f"{time:012x}-{number:09x}",
        site_id="bench",
        visitor_id=f"{visitor:016x}",
        event_time=time,
        kind="page",
        method=line.method,
        status=line.status,
        host="shop.example",
        path=line.path,
        referrer=line.referrer,
        user_agent=line.agent,
        client_ip=line.address,
    )


def produce(workload: Workload, kafka: KafkaSettings, role: str, partitions: int) -> Answer:
    """Write the workload with its watermark records; each partition by a process of its own."""
    drawn = draw(workload)
    with ProcessPoolExecutor(2) as pool:
        jobs = [
            pool.submit(_produce_partition, workload, kafka, role, number, partitions)
            for number in range(partitions)
        ]
        for job in jobs:
            job.result()
    visitors, times, _ = drawn
    return answer(visitors, times, maker(workload, drawn))


def _produce_partition(
    workload: Workload, kafka: KafkaSettings, role: str, partition: int, partitions: int
) -> None:
    producer = KafkaProducer(**kafka.client_options(), acks=1, linger_ms=50, batch_size=512 * 1024)
    topic, encode = kafka.topic(role), msgspec.json.Encoder().encode
    drawn = draw(workload)
    visitors, times, _ = drawn
    make = maker(workload, drawn)
    turn = 0
    told = int(times[0])

    def tell(watermark: int, number: int) -> None:
        value = encode(WatermarkRecord(watermark=watermark, turn=number))
        producer.send(topic, value=value, partition=partition)

    tell(WATERMARK_START, -1)
    for number in np.nonzero(visitors % partitions == partition)[0].tolist():
        time = int(times[number])
        if time - told >= WATERMARK_EVERY_MS:
            tell(time, turn)
            told, turn = time, turn + 1
        event = make(number)
        producer.send(
            topic,
            key=partition_key(event.site_id, event.visitor_id),
            value=encode(event),
            partition=partition,
        )
    if workload.ends:
        tell(WATERMARK_END, -1)
    producer.flush()
    producer.close()
