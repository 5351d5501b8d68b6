package io.dedup.kafka.id;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.id.MessageIdExtractor;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rows of docs/recipes/where-is-the-id.md, with records as these producers write them. */
class KnownProducersTest {
    private static ConsumerRecord<String, String> record(String value, String... headers) {
        ConsumerRecord<String, String> record = new ConsumerRecord<>("orders", 0, 0, "1", value);
        for (int i = 0; i < headers.length; i += 2) {
            record.headers().add(headers[i], headers[i + 1].getBytes(StandardCharsets.UTF_8));
        }
        return record;
    }

    private static void finds(
            String id, MessageIdExtractor<ConsumerRecord<?, ?>> extractor, ConsumerRecord<String, String> record) {
        assertThat(extractor.extract(record)).isEqualTo(id);
    }

    @Test
    @DisplayName("Debezium's outbox event router: the header id; without the router: the row after the change")
    void debezium() {
        finds(
                "4d47e190-0402-4048-bc2c-89dd54343cdc",
                KafkaMessageIds.header("id"),
                record("{\"id\": 1, \"lineItems\": []}", "id", "4d47e190-0402-4048-bc2c-89dd54343cdc"));
        String change = """
                {"before": null, "after": {"id": "406c07f3-26f0-4eea-a50c-109940064b8f", "aggregateid": "1",
                 "aggregatetype": "Order", "payload": "{}"}, "source": {"table": "outbox"}, "op": "c"}""";
        finds("406c07f3-26f0-4eea-a50c-109940064b8f", KafkaMessageIds.json("/after/id"), record(change));
        finds(
                "406c07f3-26f0-4eea-a50c-109940064b8f",
                KafkaMessageIds.json("/payload/after/id"),
                record("{\"schema\": {\"type\": \"struct\"}, \"payload\": " + change + "}"));
    }

    @Test
    @DisplayName("Eventuate Tram: the header ID within its envelope")
    void eventuate() {
        finds("0000018c9b7f6f2a-0242ac1200060000", KafkaMessageIds.json("/headers/ID"), record("""
                        {"payload": "{\\"orderTotal\\": 12}",
                         "headers": {"PARTITION_ID": "1", "DESTINATION": "Order", "ID": "0000018c9b7f6f2a-0242ac1200060000"}}"""));
    }

    @Test
    @DisplayName("CloudEvents: source and ID, of the headers in binary form, of the envelope in structured form")
    void cloudEvents() {
        String binary = KafkaMessageIds.cloudEvent()
                .extract(record("{}", "ce_specversion", "1.0", "ce_source", "/shop", "ce_id", "o-1"));
        String structured = KafkaMessageIds.cloudEvent()
                .extract(record("{\"specversion\": \"1.0\", \"source\": \"/shop\", \"id\": \"o-1\", \"data\": {}}"));
        assertThat(binary).isNotNull().contains("o-1").isEqualTo(structured);
    }

    @Test
    @DisplayName("Spring Modulith's externalized event: a field of the event")
    void modulith() {
        finds("o-1", KafkaMessageIds.json("/orderId"), record("{\"orderId\": \"o-1\", \"total\": 12}"));
    }
}
