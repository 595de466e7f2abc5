"""Kafka's checksum, by the standard's own check value and by kafka-python's slow one."""

from kafka.record import util
from kafka.record._crc32c import crc

from contracts.checksums import native_crc32c
from contracts.kafka import KafkaSettings


def test_the_check_value_of_the_standard():
    assert native_crc32c(b"123456789") == 0xE3069283


def test_agrees_with_kafka_pythons_own():
    data = bytes(range(256)) * 9
    assert native_crc32c(memoryview(bytearray(data))) == crc(data)


def test_every_client_made_from_the_settings_uses_it():
    KafkaSettings().client_options()
    assert util.calc_crc32c.__defaults__ == (native_crc32c,)
    assert util.calc_crc32c(memoryview(b"123456789")) == 0xE3069283
